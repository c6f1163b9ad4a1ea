import { sql, type RawBuilder } from "kysely";
import { roundUsd, type UsageTotals } from "../usage/usage-totals.ts";

/** Sums of usage, as a query gives them. */
export interface UsageSums {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly cacheWrite5mTokens: number;
  readonly cacheWrite1hTokens: number;
  readonly webSearches: number;
  readonly costUsd: number;
  readonly responses: number;
  readonly lowerBounds: number;
  readonly unpriced: number;
}

const TOKENS = [
  "inputTokens",
  "outputTokens",
  "cacheReadTokens",
  "cacheWriteTokens",
  "cacheWrite5mTokens",
  "cacheWrite1hTokens",
  "webSearches",
] as const;

/** Whether a row of `usage` counts anything. */
const HAS_TOKENS: RawBuilder<unknown> = sql`
  usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens > 0`;

/** The columns that add up rows of `usage`. */
export const USAGE_SUMS: RawBuilder<unknown> = sql`${sumsOf("usage")},
  count(*) filter (where usage.part = 0) as responses,
  count(*) filter (where usage.part = 0 and usage.isFinal = 0 and ${HAS_TOKENS}) as lowerBounds,
  count(*) filter (where usage.costUsd is null and ${HAS_TOKENS}) as unpriced`;

/** The columns that add up the sums of `sessions`. */
export const SESSION_SUMS: RawBuilder<unknown> = sql`${sumsOf("sessions")},
  coalesce(sum(responses), 0) as responses,
  coalesce(sum(lowerBounds), 0) as lowerBounds,
  coalesce(sum(unpriced), 0) as unpriced`;

/** The columns that add up equal shares of rows of `usage`; what does not divide goes to the first of `count` places. */
export const SHARED_SUMS: RawBuilder<unknown> = sql`${sql.join(
  TOKENS.map((name) => {
    const column = sql.ref(`usage.${name}`);
    return sql`coalesce(sum(${column} / count + (place < ${column} % count)), 0) as ${sql.ref(name)}`;
  }),
)},
  coalesce(sum(usage.costUsd / count), 0.0) as costUsd,
  count(distinct usage.messageId) as responses,
  count(distinct usage.messageId) filter (where usage.part = 0 and usage.isFinal = 0 and ${HAS_TOKENS}) as lowerBounds,
  count(distinct usage.messageId) filter (where usage.costUsd is null and ${HAS_TOKENS}) as unpriced`;

function sumsOf(table: "usage" | "sessions"): RawBuilder<unknown> {
  const tokens = TOKENS.map((name) => sql`coalesce(sum(${sql.ref(`${table}.${name}`)}), 0) as ${sql.ref(name)}`);
  return sql`${sql.join(tokens)}, coalesce(sum(${sql.ref(`${table}.costUsd`)}), 0.0) as costUsd`;
}

/** Adds sums to others, in place. */
export function addSums(total: { -readonly [Field in keyof UsageSums]: number }, sums: UsageSums): void {
  for (const field of Object.keys(NO_SUMS) as (keyof UsageSums)[]) total[field] += sums[field];
}

/** Nothing added up yet. */
export const NO_SUMS: UsageSums = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
  webSearches: 0,
  costUsd: 0,
  responses: 0,
  lowerBounds: 0,
  unpriced: 0,
};

/** Sums in the words of the reports. */
export function toTotals(sums: UsageSums): UsageTotals {
  return {
    usage: {
      inputTokens: sums.inputTokens,
      outputTokens: sums.outputTokens,
      cacheReadTokens: sums.cacheReadTokens,
      cacheWriteTokens: sums.cacheWriteTokens,
      cacheWrite5mTokens: sums.cacheWrite5mTokens,
      cacheWrite1hTokens: sums.cacheWrite1hTokens,
      webSearches: sums.webSearches,
    },
    costUsd: roundUsd(sums.costUsd),
    messages: sums.responses,
    lowerBounds: sums.lowerBounds,
    unpriced: sums.unpriced,
  };
}
