import { z } from "zod";
import { askOfferHere, offerFlags } from "../protocol/ask-offer-here.ts";
import { defineCommand } from "../define-command.ts";
import { detailRows } from "../detail-rows.ts";
import { findCommand, OfferedCommand } from "../../protocol/index.ts";
import { plainLine } from "../plain-text.ts";
import { wrapText } from "../wrap-text.ts";

/** Shows one slash command or skill. */
export const showCommand = defineCommand({
  name: "show-command",
  summary: "Show a slash command or skill",
  heading: "For programs:",
  effects: { changes: "adds", isRepeatable: true, reaches: "world" },
  args: z.object({
    name: z.string().meta({ description: "Its name, with or without the slash; case is ignored" }),
    ...offerFlags,
  }),
  positional: ["name"],
  data: OfferedCommand.extend({ found: z.literal(true) }),
  examples: ["show-command compact", "show-command my-plugin:ship --output-format json"],
  async run(given, context) {
    const { commands } = await askOfferHere(given, context);
    return { ...findCommand(given.name, commands), found: true as const };
  },
  format(shown, { terminal }) {
    const title = plainLine(`/${shown.name} ${shown.argument_hint}`);
    const rows = detailRows(
      [
        ["Source", shown.plugin === null ? shown.source : `plugin ${plainLine(shown.plugin)}`],
        [
          "Also",
          ...(shown.aliases.length === 0 ? [] : [shown.aliases.map((alias) => `/${plainLine(alias)}`).join(", ")]),
        ],
        ["Skill", shown.is_skill ? "yes: the model can use it on its own" : "no"],
      ],
      terminal,
    );
    return `${terminal.colors.bold(title)}\n\n${rows}\n${wrapText(plainLine(shown.description), terminal.columns).join("\n")}\n`;
  },
});
