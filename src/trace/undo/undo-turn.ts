import { defined, SkeinError } from "../../core/internal.ts";
import type { OnConflict } from "../../snapshot/index.ts";
import type { StateId, Workspace } from "../../workspace/internal.ts";
import { findInterruptedTurns, takeDirectory } from "../recovery/interrupted-turns.ts";
import { headState, recordPresent } from "../record/record-state.ts";
import { findUnheld, type Arrival } from "./restore-state.ts";
import { readStateFile, type State } from "../record/state.ts";

export interface TurnToUndo {
  readonly before: StateId;
  /** None where it was cut off and is not recorded yet: what is there now is taken for what it left. */
  readonly after: StateId | undefined;
}

export interface UndoOptions {
  /** Where a person changed the same lines since: `refuse`, which is the default, `discard` their change, or `merge` both with marks. */
  readonly onConflict?: OnConflict | undefined;
  /** Only tell what would change. */
  readonly dryRun?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Takes back the last turn on the way to the head, in whatever conversation. The caller may have taken the directory, and says so. */
export async function undoLastTurn(
  workspace: Workspace,
  { isClaimed = false, ...options }: UndoOptions & { readonly isClaimed?: boolean } = {},
): Promise<Arrival> {
  await using _ = options.dryRun || isClaimed ? undefined : await takeDirectory(workspace);
  return await undoTurn(workspace, await findLastTurn(workspace), options);
}

/** What is there is recorded first, as a way back; where the undo refuses, nothing is. The caller holds the directory, unless it only asks. */
export async function undoTurn(
  workspace: Workspace,
  { before, after }: TurnToUndo,
  { onConflict = "refuse", dryRun = false, signal }: UndoOptions = {},
): Promise<Arrival> {
  const state = await readStateFile(workspace.states, before);
  const turn = after === undefined ? undefined : await readStateFile(workspace.states, after);
  const leftOut = { before: pathsOf(state), after: turn ? pathsOf(turn) : [] };
  const options = { onConflict, leftOut, isClaimed: true, ...defined({ signal }) };
  const between = { before: state.id, after: turn?.id };
  const plan = await workspace.takeBack(between, { ...options, dryRun: true });
  if (dryRun) return { ...plan, state, unrecorded: [], unheld: await findUnheld(workspace, state) };
  const { id: wayBack } = await recordPresent(workspace, defined({ signal }));
  const done = await workspace.takeBack(between, options);
  return { ...done, state, wayBack, unrecorded: [], unheld: await findUnheld(workspace, state) };
}

/** Edits since and the beginnings of conversations are passed over: each `skein run` begins one, and all of them form one path. */
async function findLastTurn(workspace: Workspace): Promise<TurnToUndo> {
  // One that is not recorded yet is the last; whoever holds the directory has recorded it before.
  const [cutOff] = await findInterruptedTurns(workspace);
  if (cutOff) return { before: cutOff.beforeStateId, after: undefined };
  let state = await headState(workspace);
  while (state && state.kind !== "turn") {
    state = state.parentId === undefined ? undefined : await readStateFile(workspace.states, state.parentId);
  }
  if (state?.parentId !== undefined) return { before: state.parentId, after: state.id };
  throw new SkeinError("There is no turn to undo", {
    kind: "state_not_found",
    target: workspace.path,
    hint: "skein log lists what is recorded; skein restore goes to any state",
  });
}

function pathsOf({ leftOut }: State): readonly string[] {
  return leftOut.map(({ path }) => path);
}
