import { findPrices, inputTokensOf, type ModelPrices, PRICE_TABLE, type PriceTable } from "../../core/internal.ts";
import type { UsageLine } from "./usage-line.ts";

type PricedUsage = Pick<UsageLine, "usage" | "isFast" | "isUsOnly">;

/** What one response cost in dollars; undefined for a model that the table does not know. */
export function costOf(model: string, priced: PricedUsage, table: PriceTable = PRICE_TABLE): number | undefined {
  return createPricer(table)(model, priced);
}

/** Prices many responses by one table: a model's name is looked up once. */
export function createPricer(table: PriceTable): (model: string, priced: PricedUsage) => number | undefined {
  const known = new Map<string, ModelPrices | undefined>();
  return (model, priced) => {
    if (!known.has(model)) known.set(model, findPrices(model, table));
    const prices = known.get(model);
    return prices === undefined ? undefined : costBy(prices, priced, table);
  };
}

function costBy(prices: ModelPrices, { usage, isFast, isUsOnly }: PricedUsage, table: PriceTable): number {
  const { fast, longPrompt } = prices;
  const isLong = longPrompt !== undefined && inputTokensOf(usage) > longPrompt.abovePromptTokens;
  const price = isFast && fast !== undefined ? fast : isLong ? longPrompt : prices;
  const micro =
    usage.inputTokens * price.input +
    usage.outputTokens * price.output +
    usage.cacheReadTokens * price.cacheRead +
    usage.cacheWrite5mTokens * price.cacheWrite5m +
    usage.cacheWrite1hTokens * price.cacheWrite1h;
  return (micro / 1_000_000) * (isUsOnly ? table.usOnlyFactor : 1) + usage.webSearches * table.webSearch;
}
