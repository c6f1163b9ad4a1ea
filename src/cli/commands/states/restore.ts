import { z } from "zod";
import { defineCommand } from "../../define-command.ts";
import { cwdFlag, openWorkspace } from "../../open-workspace.ts";
import { captureFlags, captureOptions } from "../../states/capture-flags.ts";
import { formatRestore, RestoreData } from "../../states/restore-data.ts";
import { restoreHere, yesFlag } from "../../states/restore-here.ts";
import { switchFlag, stateArgument } from "../../common-flags.ts";

/** Makes the directory equal to a state, with a way back. */
export const restore = defineCommand({
  name: "restore",
  summary: "Put the files back to a state",
  effects: { changes: "replaces", isRepeatable: true, reaches: "workspace" },
  args: z.object({
    state: stateArgument,
    cwd: cwdFlag,
    ...captureFlags,
    dryRun: switchFlag("Only show what would change"),
    yes: yesFlag,
  }),
  positional: ["state"],
  data: RestoreData,
  examples: ["restore before-vue", "restore @~1 --dry-run"],
  async run({ state, cwd, dryRun, yes, ...captured }, context) {
    await using workspace = await openWorkspace(cwd, context, captureOptions(captured));
    return await restoreHere(workspace, { state, dryRun, yes }, context);
  },
  format: formatRestore,
});
