import type { PriceTable } from "../../core/internal.ts";
import { createPricer } from "../usage/cost-of.ts";
import { NO_TOKENS, type TokenUsage } from "../usage/usage-line.ts";
import { roundUsd, type UsageTotals } from "../usage/usage-totals.ts";
import { IS_ADVISOR, IS_FAST, IS_FINAL, IS_OFFLINE, IS_US_ONLY } from "../digest/file-digest.ts";
import type { Ledger } from "./ledger.ts";

/** What each row of usage cost; NaN where its model has no price. */
export function priceUsage({ files, usage }: Ledger, prices: PriceTable): Float64Array {
  const costs = Float64Array.from(usage.recordedCostUsd);
  const costOf = createPricer(prices);
  for (const { facts, usage: range } of files) {
    for (let row = range.start; row < range.end; row += 1) {
      if (!Number.isNaN(costs[row])) continue;
      const flags = usage.flags[row] as number;
      const priced = {
        usage: tokensOf(usage, row),
        isFast: (flags & IS_FAST) !== 0,
        isUsOnly: (flags & IS_US_ONLY) !== 0,
      };
      costs[row] = costOf(facts.names[usage.model[row] as number] ?? "", priced) ?? Number.NaN;
    }
  }
  return costs;
}

export function tokensOf(usage: Ledger["usage"], row: number): TokenUsage {
  const [written5m, written1h] = [usage.cacheWrite5mTokens[row] as number, usage.cacheWrite1hTokens[row] as number];
  return {
    inputTokens: usage.inputTokens[row] as number,
    outputTokens: usage.outputTokens[row] as number,
    cacheReadTokens: usage.cacheReadTokens[row] as number,
    cacheWriteTokens: written5m + written1h,
    cacheWrite5mTokens: written5m,
    cacheWrite1hTokens: written1h,
    webSearches: usage.webSearches[row] as number,
  };
}

type Mutable<T> = { -readonly [Field in keyof T]: T[Field] };

/** A sum in the making. */
export type UsageSum = Mutable<Omit<UsageTotals, "usage">> & { readonly usage: Mutable<TokenUsage> };

export function createUsageSum(): UsageSum {
  return { usage: { ...NO_TOKENS }, costUsd: 0, offlineCostUsd: 0, messages: 0, lowerBounds: 0, unpriced: 0 };
}

/** Adds a row of usage. */
export function addUsage(sum: UsageSum, usage: Ledger["usage"], row: number, costUsd: number): void {
  const flags = usage.flags[row] as number;
  const [written5m, written1h] = [usage.cacheWrite5mTokens[row] as number, usage.cacheWrite1hTokens[row] as number];
  const [input, output] = [usage.inputTokens[row] as number, usage.outputTokens[row] as number];
  const cacheRead = usage.cacheReadTokens[row] as number;
  const tokens = sum.usage;
  tokens.inputTokens += input;
  tokens.outputTokens += output;
  tokens.cacheReadTokens += cacheRead;
  tokens.cacheWriteTokens += written5m + written1h;
  tokens.cacheWrite5mTokens += written5m;
  tokens.cacheWrite1hTokens += written1h;
  tokens.webSearches += usage.webSearches[row] as number;
  const hasTokens = input + output + cacheRead + written5m + written1h > 0;
  const isPriced = !Number.isNaN(costUsd);
  if (isPriced) sum[(flags & IS_OFFLINE) === 0 ? "costUsd" : "offlineCostUsd"] += costUsd;
  else if (hasTokens) sum.unpriced += 1;
  if ((flags & IS_ADVISOR) !== 0) return;
  sum.messages += 1;
  if ((flags & IS_FINAL) === 0 && hasTokens) sum.lowerBounds += 1;
}

export function addSum(sum: UsageSum, other: UsageTotals): void {
  for (const name of Object.keys(NO_TOKENS) as (keyof TokenUsage)[]) sum.usage[name] += other.usage[name];
  for (const name of ["costUsd", "offlineCostUsd", "messages", "lowerBounds", "unpriced"] as const) {
    sum[name] += other[name];
  }
}

export function toTotals(sum: UsageTotals): UsageTotals {
  return { ...sum, costUsd: roundUsd(sum.costUsd), offlineCostUsd: roundUsd(sum.offlineCostUsd) };
}
