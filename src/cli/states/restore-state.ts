import { findUnheld, readStateFile, recordPresent } from "../../trace/index.ts";
import type { Workspace } from "../../workspace/index.ts";
import type { CommandContext } from "../command-context.ts";
import { toFilesData } from "../turn/files-data.ts";
import { askToRestore } from "./ask-to-restore.ts";
import { gitLeftOut } from "./git-left-out.ts";
import { toUnheldData } from "./left-out-data.ts";
import type { RestoreData } from "./restore-data.ts";
import { takeDirectory } from "./take-directory.ts";

/** A restore that was asked for. */
export interface RestoreRequest {
  /** Finds the state, once turns that were cut off are recorded. */
  readonly find: () => Promise<string>;
  readonly dryRun: boolean;
  /** Nobody need be asked about what no recorded turn made. */
  readonly yes: boolean;
}

/**
 * Makes the directory equal to a state. What it was before is recorded first, so that there is a way back. Where that would
 * take what no recorded turn made, the person at the terminal is asked; elsewhere it refuses.
 */
export async function restoreState(
  workspace: Workspace,
  { find, dryRun, yes }: RestoreRequest,
  context: CommandContext,
): Promise<RestoreData> {
  const { signal } = context;
  if (dryRun) {
    const id = await find();
    const unrecorded = await workspace.unrecorded(id, { signal });
    return { ...(await restoreTo(workspace, id, { dryRun, signal })), unrecorded: [...unrecorded] };
  }
  return await takeDirectory(workspace, context, async () => {
    // Before the present is recorded: a name such as `@~1` means what it meant when it was typed.
    const id = await find();
    const unrecorded = await workspace.unrecorded(id, { signal });
    if (!yes) await askToRestore(unrecorded, context);
    const { id: wayBack } = await recordPresent(workspace, context);
    const done = await restoreTo(workspace, id, { dryRun, signal, isClaimed: true });
    return { ...done, unrecorded: [...unrecorded], way_back: wayBack };
  });
}

async function restoreTo(
  workspace: Workspace,
  id: string,
  options: { readonly dryRun: boolean; readonly signal: AbortSignal; readonly isClaimed?: boolean },
): Promise<RestoreData> {
  const state = await readStateFile(workspace.states, id);
  const { changes, kept, git } = await workspace.restore(id, options);
  const unheld = await findUnheld(workspace, state);
  return {
    state_id: id,
    subject: state.subject,
    dry_run: options.dryRun,
    files: toFilesData(changes),
    kept: [...kept],
    kept_since: [],
    merged: [],
    conflicts: [],
    unrecorded: [],
    unheld: toUnheldData(unheld),
    git,
    git_left_out: gitLeftOut(workspace),
    way_back: null,
  };
}
