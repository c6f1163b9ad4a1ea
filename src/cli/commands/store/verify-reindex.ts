import { z } from "zod";
import { SkeinError } from "../../../core/index.ts";
import { verifyWorkspace, TraceIndex } from "../../../trace/index.ts";
import { defineCommand } from "../../define-command.ts";
import { formatNumberOf } from "../../format-amounts.ts";
import { cwdFlag, openToRead, openWorkspace } from "../../open-workspace.ts";
import { plainLine } from "../../plain-text.ts";

const LISTED_PROBLEMS = 5;

export const verify = defineCommand({
  name: "verify",
  summary: "Check that every state is present and intact",
  effects: { changes: "nothing", isRepeatable: true, reaches: "workspace" },
  args: z.object({ cwd: cwdFlag }),
  data: z.strictObject({ states: z.int() }),
  async run({ cwd }, context) {
    await using workspace = await openToRead(cwd, context);
    const { states, problems } = await verifyWorkspace(workspace);
    if (problems.length === 0) return { states };
    const told = problems.slice(0, LISTED_PROBLEMS).map((problem) => `\n  ${plainLine(problem)}`);
    const others = problems.length - told.length;
    const more = others > 0 ? `\n  and ${others} more` : "";
    throw new SkeinError(`${formatNumberOf(problems.length, "problem")} in the store:${told.join("")}${more}`, {
      kind: "filesystem",
      target: workspace.home,
      hint: "Run skein pull from a remote that has the states to get back what is lost.",
      details: { states, problems },
    });
  },
  format({ states }, { terminal: { colors } }) {
    return `${colors.green("✓")} ${formatNumberOf(states, "state")}, all present and intact\n`;
  },
});

export const reindex = defineCommand({
  name: "reindex",
  summary: "Rebuild the index of states from the store",
  effects: { changes: "replaces", isRepeatable: true, reaches: "workspace" },
  args: z.object({ cwd: cwdFlag }),
  data: z.strictObject({ states: z.int() }),
  async run({ cwd }, context) {
    await using workspace = await openWorkspace(cwd, context);
    await using index = await TraceIndex.open(workspace);
    return await index.reindex();
  },
  format: ({ states }) => `Indexed ${formatNumberOf(states, "state")}\n`,
});
