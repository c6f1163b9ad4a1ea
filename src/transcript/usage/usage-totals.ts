import { defined, emptyRecord, tokensOf } from "../../core/internal.ts";
import { NO_TOKENS, type TokenUsage } from "./usage-line.ts";

/** Tokens and money of some responses, and how far to trust them. */
export interface UsageTotals {
  readonly usage: TokenUsage;
  /** Dollars by the report's price table; of unknown models, and of the offline model, nothing is in it. */
  readonly costUsd: number;
  /** What the responses of the offline model would have cost by the same table. */
  readonly offlineCostUsd: number;
  /** Responses of the API, each counted once. */
  readonly messages: number;
  /** Of these: responses whose counts the CLI wrote before they were final. The totals are then a lower bound. */
  readonly lowerBounds: number;
  /** Of these: responses of models that the price table does not know. The money is then too low. */
  readonly unpriced: number;
}

/** One response, or an advisor's part of one, ready to be added up. */
export interface CountedUsage {
  readonly model: string;
  readonly usage: TokenUsage;
  readonly costUsd: number | undefined;
  readonly isFinal: boolean;
  /** False for an advisor's part: the response it belongs to is counted already. */
  readonly isMessage: boolean;
  /** Whether the offline model gave it. */
  readonly isOffline: boolean;
}

/** Adds up responses. */
export function sumUsage(parts: Iterable<CountedUsage>): UsageTotals {
  const sum = createSum();
  for (const part of parts) addPart(sum, part);
  return toTotals(sum);
}

export function groupUsage<Part extends CountedUsage>(
  parts: Iterable<Part>,
  keyOf: (part: Part) => string | undefined,
): Readonly<Record<string, UsageTotals>> {
  const groups = new Map<string, Sum>();
  for (const part of parts) {
    const key = keyOf(part);
    if (key === undefined) continue;
    const sum = groups.get(key) ?? createSum();
    addPart(sum, part);
    groups.set(key, sum);
  }
  // Keys come from files: with a prototype, one named `__proto__` would be lost.
  const result = emptyRecord<UsageTotals>();
  for (const [key, sum] of groups) result[key] = toTotals(sum);
  return result;
}

/** A sum in the making. It is changed in place: a history has a hundred thousand parts, added five times over. */
type Sum = Mutable<Omit<UsageTotals, "usage">> & { usage: Mutable<TokenUsage> };
type Mutable<T> = { -readonly [Field in keyof T]: T[Field] };

function createSum(): Sum {
  return { usage: { ...NO_TOKENS }, costUsd: 0, offlineCostUsd: 0, messages: 0, lowerBounds: 0, unpriced: 0 };
}

function addPart(sum: Sum, { usage, costUsd, isMessage, isFinal, isOffline }: CountedUsage): void {
  const hasTokens = tokensOf(usage) > 0;
  sum.usage.inputTokens += usage.inputTokens;
  sum.usage.outputTokens += usage.outputTokens;
  sum.usage.cacheReadTokens += usage.cacheReadTokens;
  sum.usage.cacheWriteTokens += usage.cacheWriteTokens;
  sum.usage.cacheWrite5mTokens += usage.cacheWrite5mTokens;
  sum.usage.cacheWrite1hTokens += usage.cacheWrite1hTokens;
  sum.usage.webSearches += usage.webSearches;
  sum[isOffline ? "offlineCostUsd" : "costUsd"] += costUsd ?? 0;
  if (isMessage) sum.messages += 1;
  if (isMessage && !isFinal && hasTokens) sum.lowerBounds += 1;
  if (costUsd === undefined && hasTokens) sum.unpriced += 1;
}

function toTotals(sum: Sum): UsageTotals {
  return { ...sum, costUsd: roundUsd(sum.costUsd), offlineCostUsd: roundUsd(sum.offlineCostUsd) };
}

/**
 * Sums carry more digits than money has; a millionth of a dollar is where they end. What was added in another order differs
 * in the last digits, so these go first: else half a millionth would be rounded up here and down there.
 */
export function roundUsd(usd: number): number {
  return Math.round(Math.round(usd * 1_000_000_000) / 1000) / 1_000_000;
}

/** Names the day of a moment as YYYY-MM-DD, in a time zone; undefined where the text is no moment. */
export function createDayNamer(timeZone?: string): (timestamp: string | undefined) => string | undefined {
  const format = new Intl.DateTimeFormat("en-CA", {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    ...defined({ timeZone }),
  });
  // Formatting is slow, and many moments are of one day.
  const byQuarter = new Map<number, string>();
  return (timestamp) => {
    const quarter = timestamp === undefined ? Number.NaN : Math.floor(Date.parse(timestamp) / QUARTER_MS);
    if (Number.isNaN(quarter)) return undefined;
    let day = byQuarter.get(quarter);
    if (day === undefined) byQuarter.set(quarter, (day = format.format(quarter * QUARTER_MS)));
    return day;
  };
}

/** Days begin at other moments in other time zones, but everywhere at a quarter of an hour. */
export const QUARTER_MS = 15 * 60 * 1000;
