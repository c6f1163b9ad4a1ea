import { defineCommand } from "../../define-command.ts";
import { formatArrival } from "../../states/restore-data.ts";
import { restore } from "./restore.ts";

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
