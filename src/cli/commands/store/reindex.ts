import { z } from "zod";
import { TraceIndex } from "../../../trace/index.ts";
import { defineCommand } from "../../define-command.ts";
import { formatNumberOf } from "../../format-amounts.ts";
import { cwdFlag, openWorkspace } from "../../open-workspace.ts";

/** Makes the index anew. */
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
