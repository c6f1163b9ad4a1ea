import { defined } from "../../core/internal.ts";
import { compareLeftOut, type TakenBack, type UnheldChange } from "../../snapshot/index.ts";
import { unrecordedError, type StateId, type Workspace } from "../../workspace/internal.ts";
import { takeDirectory } from "../recovery/interrupted-turns.ts";
import { recordPresent } from "../record/record-state.ts";
import { readStateFile, type State } from "../record/state.ts";

/** What became of a directory that an undo or a restore has brought to another state, or would. */
export interface Arrival extends TakenBack {
  /** The directory's head now. */
  readonly state: State;
  /** The state that holds the files as they were before; none in a dry run. */
  readonly wayBack?: StateId;
  /** What a restore deleted or wrote over, or would, although no recorded turn made it; none for an undo, which keeps that. */
  readonly unrecorded: readonly string[];
  /** What no state holds and is not, or would not be, as it was then: nothing can bring it back. */
  readonly unheld: readonly UnheldChange[];
}

/** How a directory is made equal to a state. */
export interface RestoreStateOptions {
  /** What becomes of files that no recorded turn made: replaced by default, or the restore refuses, or a function throws where they are to stay. */
  readonly onUnrecorded?: "replace" | "refuse" | ((paths: readonly string[]) => Promise<void>);
  /** Only tell what would change. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** The caller has taken the directory already. */
  readonly isClaimed?: boolean;
}

/** Makes a directory equal to a state, and brings the conversation along that ends there. What is there is recorded first, as a way back. */
export async function restoreState(
  workspace: Workspace,
  name: string,
  { onUnrecorded = "replace", dryRun = false, signal, isClaimed = false }: RestoreStateOptions = {},
): Promise<Arrival> {
  await using _ = dryRun || isClaimed ? undefined : await takeDirectory(workspace);
  // Before the present is recorded: a name such as `@~1` means what it meant when it was said.
  const state = await readStateFile(workspace.states, await workspace.states.resolve(name));
  const until = defined({ signal });
  const unrecorded = await workspace.unrecorded(state.id, until);
  if (!dryRun && unrecorded.length > 0) {
    if (onUnrecorded === "refuse") throw unrecordedError(unrecorded);
    if (onUnrecorded !== "replace") await onUnrecorded(unrecorded);
  }
  const wayBack = dryRun ? undefined : (await recordPresent(workspace, until)).id;
  const done = await workspace.restore(state.id, { ...until, dryRun, isClaimed: true });
  const unheld = await findUnheld(workspace, state);
  return { ...done, keptSince: [], merged: [], conflicts: [], state, unrecorded, unheld, ...defined({ wayBack }) };
}

export async function findUnheld(workspace: Workspace, state: State): Promise<readonly UnheldChange[]> {
  const { id, leftOut } = await workspace.snapshot();
  const changes = await workspace.snapshots.diff(state.snapshotId, id);
  return compareLeftOut({ before: state.leftOut, after: leftOut, changes }).unheld;
}
