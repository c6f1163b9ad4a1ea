import { z } from "zod";
import { defined } from "../../../core/internal.ts";
import { PricesData, toUsageData, UsageData } from "../../../page/index.ts";
import { route } from "../route.ts";
import { isTimeZone } from "../metrics-routes.ts";
import { placeQuery, toPeriod } from "./session-routes.ts";

export const getUsage = route({
  path: "/api/usage",
  operation: "getUsage",
  summary:
    "Tokens and money of all sessions of Claude Code's, those that Skein did not start too: by day, model, project, tool or session",
  query: z.strictObject({
    by: z.enum(["day", "model", "project", "tool", "session"]).default("day").describe("What they are told apart by"),
    ...placeQuery,
    session: z.string().max(200).optional().describe("Only this session: its id, or the only one that begins so"),
    model: z.string().max(200).optional().describe("Only answers of this model; part of the name is enough"),
    limit: z.coerce.number().int().min(1).max(5000).default(1000).describe("How many rows at most"),
    time_zone: z
      .string()
      .refine(isTimeZone, "it is not the name of a time zone")
      .optional()
      .describe("The time zone in which days begin, such as Europe/Berlin (default: the server's)"),
  }),
  data: z.strictObject({
    rows: z
      .array(
        z.strictObject({
          key: z.string().describe("The day, model, project, tool or session; empty where the records name none"),
          label: z.string().nullable().describe("What people call a session; null of others"),
          calls: z.int().nullable().describe("How often a tool was called; null of others"),
          errors: z.int().nullable().describe("How often that failed; null of others"),
          usage: UsageData.describe("What was used"),
        }),
      )
      .describe("The rows: days in order, all else the costliest first"),
    count: z.int().describe("How many rows there are, told or not"),
    total: UsageData.describe("The sums of all that fits"),
    prices: PricesData.describe("The price list"),
    unpriced_models: z
      .array(z.string())
      .describe("Models without a price: their tokens are counted, their money is not"),
  }),
  async answer({ by, since, until, limit, time_zone: timeZone, ...given }, { transcripts }) {
    const options = { by, ...defined({ ...given, ...toPeriod({ since, until }), timeZone }) };
    const { rows, total, prices, unpricedModels } = await transcripts.useTotals((totals) => totals.stats(options));
    // Of days the last ones, of all else the first.
    const told = by === "day" ? rows.slice(-limit) : rows.slice(0, limit);
    return {
      rows: told.map(({ key, label = null, tool, ...usage }) => ({
        key,
        label,
        calls: tool?.calls ?? null,
        errors: tool?.errors ?? null,
        usage: toUsageData(usage),
      })),
      count: rows.length,
      total: toUsageData(total),
      prices: { ...prices },
      unpriced_models: [...unpricedModels],
    };
  },
});
