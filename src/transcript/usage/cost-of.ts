import { findPrices, type ModelPrice, type ModelPrices, PRICE_TABLE, type PriceTable } from "../../core/index.ts";
import type { ResponseUsage, TokenUsage } from "./usage-line.ts";

/** Tokens of one response, with what changes their price. */
export type PricedUsage = Pick<ResponseUsage, "usage" | "isFast" | "isUsOnly">;

/** What one response cost in dollars; undefined for a model that the table does not know. */
export function costOf(model: string, priced: PricedUsage, table: PriceTable = PRICE_TABLE): number | undefined {
  return createPricer(table)(model, priced);
}

/** What a response of a model cost in dollars. */
export type Pricer = (model: string, priced: PricedUsage) => number | undefined;

/** Prices many responses by one table: a model's name is looked up once. */
export function createPricer(table: PriceTable): Pricer {
  const known = new Map<string, ModelPrices | undefined>();
  return (model, priced) => {
    if (!known.has(model)) known.set(model, findPrices(model, table));
    const prices = known.get(model);
    return prices === undefined ? undefined : costBy(prices, priced, table);
  };
}

function costBy(prices: ModelPrices, priced: PricedUsage, table: PriceTable): number {
  const { usage } = priced;
  const price = priceThatHolds(prices, priced);
  const micro =
    usage.inputTokens * price.input +
    usage.outputTokens * price.output +
    usage.cacheReadTokens * price.cacheRead +
    usage.cacheWrite5mTokens * price.cacheWrite5m +
    usage.cacheWrite1hTokens * price.cacheWrite1h;
  return (micro / 1_000_000) * (priced.isUsOnly ? table.usOnlyFactor : 1) + usage.webSearches * table.webSearch;
}

function priceThatHolds(prices: ModelPrices, { usage, isFast }: PricedUsage): ModelPrice {
  if (isFast && prices.fast !== undefined) return prices.fast;
  const { longPrompt } = prices;
  return longPrompt !== undefined && promptTokens(usage) > longPrompt.abovePromptTokens ? longPrompt : prices;
}

function promptTokens(usage: TokenUsage): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}
