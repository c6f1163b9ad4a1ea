import { SkeinError } from "../core/index.ts";
import { compareLeftOut, type OnConflict, type TakenBack, type UnheldChange } from "../snapshot/index.ts";
import type { StateId, Workspace } from "../workspace/index.ts";
import { headState, recordPresent } from "./present-state.ts";
import { findInterruptedTurns } from "./recover.ts";
import { readStateFile, type State } from "./state.ts";

/** A turn that is to be taken back: the states around it. */
export interface TurnToUndo {
  readonly before: StateId;
  /** None where it was cut off and is not recorded yet: what is there now is taken for what it left. */
  readonly after: StateId | undefined;
}

/** How a turn is taken back. */
export interface UndoOptions {
  /** Where a person changed the same lines since: `refuse`, which is the default, `discard` their change, or `merge` both with marks. */
  readonly onConflict?: OnConflict | undefined;
  /** Only tell what would change. */
  readonly dryRun?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What became of a turn that was taken back. */
export interface UndoneTurn extends TakenBack {
  /** The state before the turn, at which the directory stands now. */
  readonly state: State;
  /** The state that holds the files as they were before the undo; none in a dry run. */
  readonly wayBack?: StateId;
  /** What no state holds and is not, or would not be, as it was before the turn. */
  readonly unheld: readonly UnheldChange[];
}

/**
 * Takes back what a turn did and keeps what was done since. What is there is recorded first, so that there is a way back;
 * where the undo refuses, nothing is. The caller holds the directory, unless it only asks.
 */
export async function undoTurn(
  workspace: Workspace,
  { before, after }: TurnToUndo,
  { onConflict = "refuse", dryRun = false, signal }: UndoOptions = {},
): Promise<UndoneTurn> {
  const state = await readStateFile(workspace.states, before);
  const turn = after === undefined ? undefined : await readStateFile(workspace.states, after);
  const leftOut = { before: pathsOf(state), after: turn ? pathsOf(turn) : [] };
  const options = { onConflict, leftOut, isClaimed: true, ...(signal ? { signal } : {}) };
  const between = { before: state.id, after: turn?.id };
  const plan = await workspace.takeBack(between, { ...options, dryRun: true });
  if (dryRun) return { ...plan, state, unheld: await findUnheld(workspace, state) };
  const { id: wayBack } = await recordPresent(workspace, signal ? { signal } : {});
  const done = await workspace.takeBack(between, options);
  return { ...done, state, wayBack, unheld: await findUnheld(workspace, state) };
}

/** What a state did not hold, and what is now otherwise: nothing can bring it back. */
export async function findUnheld(workspace: Workspace, state: State): Promise<readonly UnheldChange[]> {
  const { id, leftOut } = await workspace.snapshot();
  const changes = await workspace.snapshots.diff(state.snapshotId, id);
  return compareLeftOut({ before: state.leftOut, after: leftOut, changes }).unheld;
}

/**
 * The last turn of where a directory stands. Edits since and the beginnings of conversations are passed over: each `skein
 * run` begins one, and all of them form one path.
 */
export async function findLastTurn(workspace: Workspace): Promise<TurnToUndo> {
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
