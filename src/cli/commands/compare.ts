import { z } from "zod";
import { TransitionRecorder } from "../../trace/index.ts";
import { CompareData, compareStates } from "../states/compare-data.ts";
import { defineCommand } from "../define-command.ts";
import { formatComparison } from "../states/format-comparison.ts";
import { cwdFlag, openToRead } from "../open-workspace.ts";

/** Puts two states side by side. */
export const compare = defineCommand({
  name: "compare",
  summary: "Put two states side by side",
  heading: "Recorded states:",
  effects: { changes: "nothing", isRepeatable: true, reaches: "workspace" },
  args: z.object({
    left: z
      .string()
      .meta({ description: "A state id or its first characters, a checkpoint, a conversation, @ or @~2" }),
    right: z.string().meta({ description: "The state to compare it with" }),
    cwd: cwdFlag,
  }),
  positional: ["left", "right"],
  data: CompareData,
  examples: ["compare 3c30dee707ba d218705ebbc8", "compare with-react with-vue --output-format json"],
  async run({ left, right, cwd }, context) {
    await using workspace = await openToRead(cwd, context);
    const { states } = workspace;
    const ids = [await states.resolve(left), await states.resolve(right)] as const;
    await using recorder = await TransitionRecorder.open(workspace);
    const names = { head: (await states.head())?.stateId, checkpoints: await states.checkpoints() };
    return await compareStates(...ids, { workspace, all: await recorder.query(), names });
  },
  format: formatComparison,
});
