import { defined } from "../../core/internal.ts";
import type { HalfRestore, StateId, Workspace } from "../../workspace/internal.ts";
import { findInterruptedTurns, takeDirectory, type InterruptedTurn } from "./interrupted-turns.ts";
import { findLostStates, nameLostStates, type LostState } from "./lost-states.ts";
import type { Arrival } from "../undo/restore-state.ts";
import { findJournals } from "../turn/journal.ts";
import { undoTurn } from "../undo/undo-turn.ts";

/** What a kill or a power cut has left in a workspace, and what was done about it. */
export interface Recovery {
  /** The turns that were cut off, with the states that they are recorded as, unless they were only looked at. */
  readonly turns: readonly (InterruptedTurn & { readonly stateId?: StateId })[];
  readonly undone?: Arrival;
  /** A restore that was cut off, and what became of it where it was not only looked at. */
  readonly restore?: HalfRestore & { readonly became?: "finished" | "taken-back" };
  /** Recorded turns to which no name led any more; they have one again, unless they were only looked at. */
  readonly lost: readonly LostState[];
}

/** Looks for what was cut off. With `keep` it is recorded as it is, and a restore finished; with `undo` the files are put back as they were. */
export async function recover(
  workspace: Workspace,
  wish: "look" | "keep" | "undo" = "look",
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<Recovery> {
  // First the files, which turns are recorded with, and then the names.
  const half = await workspace.halfRestore();
  if (half && wish !== "look") await workspace.recoverRestore(wish === "keep" ? "finish" : "take-back");
  const became = { look: {}, keep: { became: "finished" }, undo: { became: "taken-back" } } as const;
  const turns = await recoverTurns(workspace, wish, signal);
  const lost = wish === "look" ? await findLostStates(workspace) : await nameLostStates(workspace);
  return { ...turns, ...(half ? { restore: { ...half, ...became[wish] } } : {}), lost };
}

async function recoverTurns(
  workspace: Workspace,
  wish: "look" | "keep" | "undo",
  signal: AbortSignal | undefined,
): Promise<Pick<Recovery, "turns" | "undone">> {
  const found = await findInterruptedTurns(workspace);
  const [first] = found;
  // A turn that is recorded has only its journal left: there is nothing to decide.
  const isLeft = !first && (await findJournals(workspace)).length > 0;
  if (!isLeft && (!first || wish === "look")) return { turns: found };
  await using taken = await takeDirectory(workspace);
  if (!first) return { turns: [] };
  const states = new Map(taken.kept.map(({ transition, state }) => [transition.id, state.id]));
  const turns = found.map((turn) => ({ ...turn, ...defined({ stateId: states.get(turn.transitionId) }) }));
  if (wish === "keep") return { turns };
  // They lie one after the other; what was done by hand since the last was cut off cannot be told from it.
  const between = { before: first.beforeStateId, after: taken.kept.at(-1)?.state.id };
  return { turns, undone: await undoTurn(workspace, between, { signal }) };
}
