import { z } from "zod";
import { defineCommand } from "../../define-command.ts";
import { cwdFlag, openWorkspace } from "../../open-workspace.ts";
import { captureFlags, captureOptions } from "../../states/capture-flags.ts";
import { formatRestore, RestoreData } from "../../states/restore-data.ts";
import { undoHere } from "../../states/restore-here.ts";
import { switchFlag } from "../../common-flags.ts";

/** Takes back the last turn. */
export const undo = defineCommand({
  name: "undo",
  summary: "Take back the last turn: files, git and session",
  effects: { changes: "replaces", isRepeatable: false, reaches: "workspace" },
  args: z.object({
    cwd: cwdFlag,
    ...captureFlags,
    dryRun: switchFlag("Only show what would change"),
    merge: switchFlag("If the same lines changed after the turn, keep both versions, with conflict marks"),
    discard: switchFlag("If the same lines changed after the turn, discard the later change"),
  }),
  conflicts: ["merge", "discard"],
  data: RestoreData,
  examples: ["undo", "undo --dry-run", "undo --merge"],
  async run({ cwd, ...how }, context) {
    await using workspace = await openWorkspace(cwd, context, captureOptions(how));
    return await undoHere(workspace, how, context);
  },
  format: formatRestore,
});
