import { undoTurn, type TurnToUndo, type UndoneTurn } from "../../trace/index.ts";
import type { Workspace } from "../../workspace/index.ts";
import type { CommandContext } from "../command-context.ts";
import { toFilesData } from "../turn/files-data.ts";
import { gitLeftOut } from "./git-left-out.ts";
import { toUnheldData } from "./left-out-data.ts";
import type { RestoreData } from "./restore-data.ts";
import { takeDirectory } from "./take-directory.ts";

/** An undo that was asked for. */
export interface UndoRequest {
  /** Finds the turn, once those that were cut off are recorded. */
  readonly find: () => Promise<TurnToUndo>;
  readonly dryRun: boolean;
  readonly merge: boolean;
  readonly discard: boolean;
}

/** Takes back what a turn did in a directory, in the words of the envelope. */
export async function undoInDirectory(
  workspace: Workspace,
  { find, dryRun, merge, discard }: UndoRequest,
  context: CommandContext,
): Promise<RestoreData> {
  const onConflict = merge ? "merge" : discard ? "discard" : "refuse";
  const undo = async (): Promise<UndoneTurn> =>
    await undoTurn(workspace, await find(), { onConflict, dryRun, signal: context.signal });
  const done = await (dryRun ? undo() : takeDirectory(workspace, context, undo));
  const { state, changes, kept, git, wayBack, keptSince, merged, conflicts } = done;
  return {
    state_id: state.id,
    subject: state.subject,
    dry_run: dryRun,
    files: toFilesData(changes),
    kept: [...kept],
    kept_since: [...keptSince],
    merged: [...merged],
    conflicts: [...conflicts],
    unrecorded: [],
    unheld: toUnheldData(done.unheld),
    git,
    git_left_out: gitLeftOut(workspace),
    way_back: wayBack ?? null,
  };
}
