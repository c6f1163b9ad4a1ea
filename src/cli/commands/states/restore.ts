import { z } from "zod";
import { defineCommand } from "../../define-command.ts";
import { cwdFlag, openWorkspace } from "../../open-workspace.ts";
import { captureFlags, captureOptions } from "../../states/capture-flags.ts";
import {
  formatRestore,
  RestoreData,
  restoreHere,
  yesFlag,
  formatArrival,
  undoHere,
} from "../../states/restore-here.ts";
import { switchFlag, stateArgument } from "../../common-flags.ts";

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

/** Brings what a branch came to into the workspace: a restore, told as what it is for. */
export const adopt = defineCommand({
  ...restore,
  name: "adopt",
  summary: "Bring a branch's state and conversation here",
  examples: ["adopt d218705ebbc8", "adopt d218705ebbc8 --dry-run"],
  format(data, context) {
    const { cyan, dim } = context.terminal.colors;
    if (data.dry_run) return formatArrival(data, context, "Would adopt");
    return `${formatArrival(data, context, "Adopted")}\n${dim("Continue:")} ${cyan('skein run "…" --continue')}\n`;
  },
});

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
