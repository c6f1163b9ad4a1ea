import { z } from "zod";
import { relinkWorkspace, Workspace } from "../../../workspace/index.ts";
import { defineCommand } from "../../define-command.ts";
import { formatNumberOf } from "../../format-amounts.ts";
import { cwdFlag, findDirectory } from "../../open-workspace.ts";
import { plainLine } from "../../plain-text.ts";
import { optionalArgument } from "../../common-flags.ts";

export const relink = defineCommand({
  name: "relink",
  summary: "Reattach the record of a directory that moved",
  effects: { changes: "replaces", isRepeatable: true, reaches: "machine" },
  args: z.object({
    old: optionalArgument("Where the workspace was (default: the record that certainly belongs to this directory)"),
    cwd: cwdFlag,
  }),
  positional: ["old"],
  data: z.strictObject({
    cwd: z.string(),
    from: z.string(),
    /**
     * Why the record is the directory's: it is the very directory, its repository holds a commit of the workspace's, a relink was cut off,
     * or it was attached before; null where only the caller says so.
     */
    fit: z.enum(["directory", "repository", "begun", "attached"]).nullable(),
    state_id: z.string().nullable(),
    conversations: z.int(),
  }),
  examples: ["relink", "relink ../old_name"],
  async run({ old, cwd }, context) {
    const here = await findDirectory(cwd, context);
    const { directory, from, fit } = await relinkWorkspace(here, { from: old });
    await using workspace = await Workspace.open(directory);
    return {
      cwd: directory,
      from,
      fit: fit ?? null,
      state_id: (await workspace.states.head())?.stateId ?? null,
      conversations: (await workspace.states.conversations()).size,
    };
  },
  format({ from, conversations }, { terminal: { colors } }) {
    const held = formatNumberOf(conversations, "conversation");
    return `${colors.green("✓")} The record of ${plainLine(from)} is attached here: ${held}. ${colors.cyan("skein log")} shows it\n`;
  },
});
