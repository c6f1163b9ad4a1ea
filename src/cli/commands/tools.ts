import { z } from "zod";
import { askOfferHere, offerFlags } from "../protocol/ask-offer-here.ts";
import { defineCommand } from "../define-command.ts";
import { OfferedTool, excludedBy, toolRuleFlags } from "../../protocol/index.ts";
import { mentions, offerLines } from "../protocol/offer-lines.ts";

const ListedTool = OfferedTool.omit({ input_schema: true });

/** Lists the tools that the CLI offers to the model in a folder. */
export const tools = defineCommand({
  name: "tools",
  summary: "List the tools the CLI offers here",
  heading: "For programs:",
  effects: { changes: "adds", isRepeatable: true, reaches: "world" },
  args: z.object({
    ...offerFlags,
    limit: z.coerce
      .number()
      .int()
      .positive()
      .default(20)
      .meta({ label: "count", description: "List at most this many" }),
    query: z.string().optional().meta({ label: "text", description: "Only those that contain this text" }),
    ...toolRuleFlags,
  }),
  data: z.strictObject({
    tools: z.array(ListedTool),
    /** How many match, listed or not. */
    count: z.int(),
    /** How many there are. */
    total_count: z.int(),
  }),
  examples: ["tools", "tools --query file --no-mcp --deny-tool Bash Write"],
  async run(given, context) {
    const { limit, query } = given;
    const { tools: all } = await askOfferHere(given, context);
    const matching = all.filter((tool) => excludedBy(tool, given) === undefined && mentions(query, tool));
    const listed = matching.slice(0, limit).map((tool) => ListedTool.strip().parse(tool));
    return { tools: listed, count: matching.length, total_count: all.length };
  },
  format: ({ tools: listed, count, total_count: total }, { terminal }) =>
    offerLines(`Tool entries: ${count} of ${total}`, listed, terminal.columns),
});
