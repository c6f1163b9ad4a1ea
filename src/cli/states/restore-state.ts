import { headState, readStateFile, recordPresent } from "../../trace/index.ts";
import type { Workspace } from "../../workspace/index.ts";
import type { CommandContext } from "../command-context.ts";
import { toFilesData } from "../turn/files-data.ts";
import type { RestoreData } from "./restore-data.ts";
import { takeDirectory } from "./take-directory.ts";

/** A restore that was asked for. */
export interface RestoreRequest {
  /** Finds the state, once turns that were cut off are recorded. */
  readonly find: () => Promise<string>;
  readonly dryRun: boolean;
}

/** Makes the directory equal to a state. What it was before is recorded first, so that there is a way back. */
export async function restoreState(
  workspace: Workspace,
  { find, dryRun }: RestoreRequest,
  context: CommandContext,
): Promise<RestoreData> {
  const { signal } = context;
  if (dryRun) return await restoreTo(workspace, await find(), { dryRun, signal });
  return await takeDirectory(workspace, context, async () => {
    // Before the present is recorded: a name such as `@~1` means what it meant when it was typed.
    const id = await find();
    const { id: wayBack } = await recordPresent(workspace);
    return { ...(await restoreTo(workspace, id, { dryRun, signal, isClaimed: true })), way_back: wayBack };
  });
}

async function restoreTo(
  workspace: Workspace,
  id: string,
  options: { readonly dryRun: boolean; readonly signal: AbortSignal; readonly isClaimed?: boolean },
): Promise<RestoreData> {
  const { subject } = await readStateFile(workspace.states, id);
  const { changes, kept, git } = await workspace.restore(id, options);
  return {
    state_id: id,
    subject,
    dry_run: options.dryRun,
    files: toFilesData(changes),
    kept: [...kept],
    git,
    way_back: null,
  };
}

/**
 * The state before the last turn of where a directory stands. Edits since and the beginnings of conversations are passed
 * over: each `skein run` begins one, and all of them form one path. Undefined where there was no turn.
 */
export async function stateBeforeLastTurn(workspace: Workspace): Promise<string | undefined> {
  let state = await headState(workspace);
  while (state && state.kind !== "turn") {
    state = state.parentId === undefined ? undefined : await readStateFile(workspace.states, state.parentId);
  }
  return state?.parentId;
}
