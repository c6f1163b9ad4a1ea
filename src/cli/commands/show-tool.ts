import { z } from "zod";
import { askOfferHere, offerFlags } from "../protocol/ask-offer-here.ts";
import { defineCommand } from "../define-command.ts";
import { detailRows } from "../detail-rows.ts";
import { findTool, OfferedTool } from "../../protocol/index.ts";
import { plainLine, plainText } from "../plain-text.ts";
import { wrapText } from "../wrap-text.ts";

/** Shows one tool, with what it takes. */
export const showTool = defineCommand({
  name: "show-tool",
  summary: "Show a tool and its input schema",
  heading: "For programs:",
  effects: { changes: "adds", isRepeatable: true, reaches: "world" },
  args: z.object({
    name: z.string().meta({ description: "Its name; case is ignored" }),
    ...offerFlags,
  }),
  positional: ["name"],
  data: OfferedTool.extend({ found: z.literal(true) }),
  examples: ["show-tool Bash", "show-tool mcp__shop__buy --output-format json"],
  async run(given, context) {
    const { tools } = await askOfferHere(given, context);
    return { ...findTool(given.name, tools), found: true as const };
  },
  format({ name, source, server, aliases, description, input_schema: schema }, { terminal }) {
    const rows = detailRows(
      [
        ["Source", server === null ? source : `${source} ${plainLine(server)}`],
        ["Also", ...(aliases.length === 0 ? [] : [aliases.join(", ")])],
      ],
      terminal,
    );
    const text = wrapText(plainText(description), terminal.columns).join("\n");
    const takes = plainText(JSON.stringify(schema, null, 2));
    return `${terminal.colors.bold(plainLine(name))}\n\n${rows}\n${text}\n\n${takes}\n`;
  },
});
