import { z } from "zod";
import { TraceIndex } from "../../../trace/index.ts";
import { defineCommand } from "../../define-command.ts";
import { cwdFlag, openToRead } from "../../open-workspace.ts";
import { CompareData, compareStates, formatComparison } from "../../states/compare-data.ts";
import { stateArgument, argument } from "../../common-flags.ts";

/** Puts two states side by side. */
export const compare = defineCommand({
  name: "compare",
  summary: "Put two states side by side",
  effects: { changes: "nothing", isRepeatable: true, reaches: "workspace" },
  args: z.object({
    left: stateArgument,
    right: argument("The state to compare it with"),
    cwd: cwdFlag,
  }),
  positional: ["left", "right"],
  data: CompareData,
  examples: ["compare 3c30dee707ba d218705ebbc8", "compare with-react with-vue --output-format json"],
  async run({ left, right, cwd }, context) {
    await using workspace = await openToRead(cwd, context);
    const { states } = workspace;
    const ids = [await states.resolve(left), await states.resolve(right)] as const;
    await using index = await TraceIndex.open(workspace);
    const names = { head: (await states.head())?.stateId, checkpoints: await states.checkpoints() };
    return await compareStates(...ids, { workspace, all: await index.query(), names });
  },
  format: formatComparison,
});
