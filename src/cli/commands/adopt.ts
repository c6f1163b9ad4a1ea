import { z } from "zod";
import { defineCommand } from "../define-command.ts";
import { cwdFlag, openWorkspace } from "../open-workspace.ts";
import { captureFlags, captureOptions } from "../states/capture-flags.ts";
import { yesFlag } from "../states/ask-to-restore.ts";
import { formatArrival, RestoreData } from "../states/restore-data.ts";
import { restoreState } from "../states/restore-state.ts";

/** Brings what a branch came to into the workspace, with a way back. */
export const adopt = defineCommand({
  name: "adopt",
  summary: "Bring a branch's state and conversation here",
  heading: "Recorded states:",
  effects: { changes: "replaces", isRepeatable: true, reaches: "workspace" },
  args: z.object({
    state: z.string().meta({ description: "A state id or its first characters, a checkpoint, a conversation" }),
    cwd: cwdFlag,
    ...captureFlags,
    dryRun: z.boolean().default(false).meta({ description: "Only show what would change" }),
    yes: yesFlag,
  }),
  positional: ["state"],
  data: RestoreData,
  examples: ["adopt d218705ebbc8", "adopt d218705ebbc8 --dry-run"],
  async run({ state, cwd, dryRun, yes, ...captured }, context) {
    await using workspace = await openWorkspace(cwd, context, captureOptions(captured));
    return await restoreState(workspace, { find: () => workspace.states.resolve(state), dryRun, yes }, context);
  },
  format(data, context) {
    const { cyan, dim } = context.terminal.colors;
    if (data.dry_run) return formatArrival(data, context, "Would adopt");
    return `${formatArrival(data, context, "Adopted")}\n${dim("Continue:")} ${cyan('skein run "…" --continue')}\n`;
  },
});
