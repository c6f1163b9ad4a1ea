import { z } from "zod";
import { askOfferHere, offerFlags } from "../protocol/ask-offer-here.ts";
import { defineCommand } from "../define-command.ts";
import { OfferedCommand } from "../../protocol/index.ts";
import { mentions, offerLines } from "../protocol/offer-lines.ts";

/** Lists the slash commands and skills that the CLI offers in a folder. */
export const commands = defineCommand({
  name: "commands",
  summary: "List the slash commands and skills offered here",
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
    pluginCommands: z.boolean().default(true).meta({ description: "Leave out plugin commands" }),
    skillCommands: z.boolean().default(true).meta({ description: "Leave out skills" }),
  }),
  data: z.strictObject({
    commands: z.array(OfferedCommand),
    /** How many match, listed or not. */
    count: z.int(),
    /** How many there are. */
    total_count: z.int(),
  }),
  examples: ["commands", "commands --query review --no-plugin-commands"],
  async run(given, context) {
    const { limit, query, pluginCommands, skillCommands } = given;
    const { commands: all } = await askOfferHere(given, context);
    const matching = all.filter(
      (one) => (pluginCommands || one.source !== "plugin") && (skillCommands || !one.is_skill) && mentions(query, one),
    );
    return { commands: matching.slice(0, limit), count: matching.length, total_count: all.length };
  },
  format: ({ commands: listed, count, total_count: total }, { terminal }) =>
    offerLines(`Command entries: ${count} of ${total}`, listed, terminal.columns),
});
