import { ownValue } from "../records.ts";
import type { Usage } from "./usage.ts";

/** What a model costs, in dollars for a million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly cacheRead: number;
}

/** A model's prices, with the cases in which others hold. */
export interface ModelPrices extends ModelPrice {
  /** Where the response was made in fast mode. */
  readonly fast?: ModelPrice;
  /** Where all the tokens of the prompt, cached ones too, are more than this many. */
  readonly longPrompt?: ModelPrice & { readonly abovePromptTokens: number };
}

/** Prices of a day: whoever shows money shows the date with it. */
export interface PriceTable {
  /** The day the prices were taken, as YYYY-MM-DD. */
  readonly date: string;
  readonly source: string;
  /** Dollars for one search of the web. */
  readonly webSearch: number;
  /** What inference that is held to the United States is multiplied by. */
  readonly usOnlyFactor: number;
  readonly models: Readonly<Record<string, ModelPrices>>;
}

const HAIKU_5_5_LONG = { abovePromptTokens: 100_000, ...price(0.5, 2.5, 0.05) };

/** The prices that Claude Code itself reckons with, so that its totals and ours agree. */
export const PRICE_TABLE: PriceTable = {
  date: "2026-11-15",
  source: "Claude Code 2.1.325",
  webSearch: 0.01,
  usOnlyFactor: 1.1,
  models: {
    "claude-3-5-haiku": price(0.8, 4, 0.08),
    "claude-haiku-4-5": price(1, 5, 0.1),
    "claude-haiku-5-5": { ...price(0.1, 0.5, 0.01), longPrompt: HAIKU_5_5_LONG },
    "claude-3-5-sonnet": price(3, 15, 0.3),
    "claude-3-7-sonnet": price(3, 15, 0.3),
    "claude-sonnet-4-0": price(3, 15, 0.3),
    "claude-sonnet-4-5": price(3, 15, 0.3),
    "claude-sonnet-4-6": price(3, 15, 0.3),
    "claude-sonnet-5": price(2, 10, 0.2),
    "claude-sonnet-5-5": price(2, 10, 0.1),
    "claude-opus-4-0": price(15, 75, 1.5),
    "claude-opus-4-1": price(15, 75, 1.5),
    "claude-opus-4-5": price(5, 25, 0.5),
    "claude-opus-4-6": { ...price(5, 25, 0.5), fast: price(30, 150, 3) },
    "claude-opus-4-7": { ...price(5, 25, 0.5), fast: price(30, 150, 3) },
    "claude-opus-4-8": { ...price(5, 25, 0.5), fast: price(10, 50, 1) },
    "claude-opus-5": { ...price(5, 25, 0.5), fast: price(10, 50, 1) },
    "claude-opus-5-5": { ...price(4, 20, 0.2), fast: price(8, 40, 0.4) },
    "claude-fable-5": price(10, 50, 1),
    "claude-fable-5-1": price(10, 50, 0.25),
    "claude-fable-5-2": { ...price(8, 40, 0.2), fast: price(16, 80, 0.4) },
    "claude-mythos-5": price(10, 50, 1),
    "claude-mythos-5-1": price(10, 50, 0.25),
    "claude-mythos-5-2": { ...price(8, 40, 0.2), fast: price(16, 80, 0.4) },
  },
};

/** The prices of a model by any of its names: dated, of a cloud, or with a context mark; undefined where it is not listed. */
export function findPrices(model: string, table: PriceTable = PRICE_TABLE): ModelPrices | undefined {
  const name = plainModelName(model);
  return [model, name, `${name}-0`].map((each) => ownValue(table.models, each)).find((prices) => prices !== undefined);
}

/** `us.anthropic.claude-sonnet-4-20250514-v1:0` and `claude-sonnet-4@20250514[1m]` are both `claude-sonnet-4`. */
function plainModelName(model: string): string {
  return model
    .toLowerCase()
    .replace(/^.*?(?=claude-)/u, "")
    .replace(/\[[^\]]*\]$/u, "")
    .replace(/[@-]\d{8}/u, "")
    .replace(/-v\d+(?::\d+)?$/u, "")
    .replace(/-latest$/u, "");
}

/** Cache writes cost 1.25 times the input for five minutes, twice for an hour: so for every model there is. */
function price(input: number, output: number, cacheRead: number): ModelPrice {
  return { input, output, cacheWrite5m: input * 1.25, cacheWrite1h: input * 2, cacheRead };
}

/** What a response of the model costs by the list, until the CLI says it; nothing for a model that is not listed. */
export function estimateCostUsd(model: string, usage: Usage): number {
  const prices = findPrices(model);
  if (!prices) return 0;
  const millionths =
    usage.inputTokens * prices.input +
    usage.outputTokens * prices.output +
    usage.cacheReadTokens * prices.cacheRead +
    usage.cacheWriteTokens * prices.cacheWrite5m;
  return millionths / 1e6;
}
