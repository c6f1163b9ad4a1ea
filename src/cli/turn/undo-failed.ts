import { toRestoreData, RestoreData } from "../../protocol/index.ts";
import { toSkeinError } from "../../core/internal.ts";
import { undoLastTurn } from "../../trace/internal.ts";
import type { Workspace } from "../../workspace/internal.ts";
import type { CommandContext } from "../define-command.ts";
import { switchFlag } from "../common-flags.ts";
import { formatArrival } from "../states/restore-here.ts";

export const undoOnFailureFlag = switchFlag("Take a turn that fails back, as skein undo does");

/** What an error has after the turn was to be taken back. */
export const undoneField = {
  undone: RestoreData.nullable()
    .optional()
    .describe("What taking the failed turn back did, with `--undo-on-failure`; null where it could not be taken back"),
};

/**
 * Takes the last turn back, which has failed, and says so. Where that cannot be done, it says why: the failure of the turn is the one to
 * report. The caller holds the directory.
 */
export async function undoFailed(workspace: Workspace, context: CommandContext): Promise<RestoreData | null> {
  try {
    // No signal: whoever has interrupted the turn wants it back all the more.
    const undone = toRestoreData(workspace, await undoLastTurn(workspace, { isClaimed: true }));
    await context.print(`\n${formatArrival(undone, context, "Took back")}`);
    return undone;
  } catch (error) {
    context.notice(`The turn could not be taken back: ${toSkeinError(error).message}. See skein undo --help.`);
    return null;
  }
}
