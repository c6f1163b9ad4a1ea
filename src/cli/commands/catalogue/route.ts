import { z } from "zod";
import { askOfferHere, offerFlags } from "./offer.ts";
import { defineCommand } from "../../define-command.ts";
import { plainLine } from "../../plain-text.ts";
import { rankOffer, RouteMatch } from "../../../protocol/index.ts";
import { limitFlag, argument } from "../../common-flags.ts";

export const route = defineCommand({
  name: "route",
  summary: "Rank commands and tools for a prompt",
  effects: { changes: "adds", isRepeatable: true, reaches: "world" },
  args: z.object({
    prompt: argument("The prompt to match"),
    ...offerFlags,
    limit: limitFlag(5),
  }),
  positional: ["prompt"],
  data: z.strictObject({
    prompt: z.string(),
    limit: z.int(),
    match_count: z.int(),
    matches: z.array(RouteMatch),
  }),
  examples: ['route "review the security of my branch"', 'route "search the web" --limit 3 --output-format json'],
  async run(given, context) {
    const { prompt, limit } = given;
    const ranked = rankOffer(prompt, await askOfferHere(given, context));
    const matches = ranked.slice(0, limit);
    return { prompt, limit, match_count: matches.length, matches };
  },
  format: ({ matches }) => (matches.length === 0 ? "(no matches)\n" : matches.map(matchLine).join("")),
});

function matchLine({ kind, name, score, source, matched }: RouteMatch): string {
  const words = matched.map(({ word, fields }) => `${word} in ${fields.join(" and ")}`).join(", ");
  return `${[kind, plainLine(name), score.toFixed(4), source, words].join("\t")}\n`;
}
