import { NO_USAGE, type Usage } from "../../core/index.ts";

/** Tokens as transcripts count them: what was written to the cache is split by how long it is kept. */
export interface TokenUsage extends Usage {
  /** Of `cacheWriteTokens`: kept for five minutes. */
  readonly cacheWrite5mTokens: number;
  /** Of `cacheWriteTokens`: kept for an hour. */
  readonly cacheWrite1hTokens: number;
  readonly webSearches: number;
}

/** The usage of one response, as one record states it. */
export interface ResponseUsage {
  readonly usage: TokenUsage;
  readonly isFast: boolean;
  /** Whether the inference was held to the United States. */
  readonly isUsOnly: boolean;
  /** Whether a count is no number of tokens that a response can have: it counts as none, and the rest as a lower bound. */
  readonly isDamaged: boolean;
  /** What an advisor used within the response: another model, and not part of the counts above. */
  readonly advisors: readonly { readonly model: string; readonly usage: TokenUsage }[];
}

/** No tokens at all. */
export const NO_TOKENS: TokenUsage = { ...NO_USAGE, cacheWrite5mTokens: 0, cacheWrite1hTokens: 0, webSearches: 0 };

/** The sum of two counts, field by field: a spread here is most of the time of a scan. */
export function addTokens(left: TokenUsage, right: TokenUsage): TokenUsage {
  return {
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    cacheReadTokens: left.cacheReadTokens + right.cacheReadTokens,
    cacheWriteTokens: left.cacheWriteTokens + right.cacheWriteTokens,
    cacheWrite5mTokens: left.cacheWrite5mTokens + right.cacheWrite5mTokens,
    cacheWrite1hTokens: left.cacheWrite1hTokens + right.cacheWrite1hTokens,
    webSearches: left.webSearches + right.webSearches,
  };
}

const COUNTS = ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"] as const;

/** Reads the API's `usage` object; undefined where there is none, or none that counts tokens. */
export function parseUsage(raw: unknown): ResponseUsage | undefined {
  if (!isObject(raw) || !COUNTS.some((key) => raw[key] !== undefined)) return undefined;
  return {
    usage: parseTokens(raw),
    isFast: raw["speed"] === "fast",
    isUsOnly: raw["inference_geo"] === "us",
    isDamaged: COUNTS.some((key) => !isCount(raw[key])),
    advisors: parseAdvisors(raw["iterations"]),
  };
}

function parseTokens(raw: Readonly<Record<string, unknown>>): TokenUsage {
  const split = isObject(raw["cache_creation"]) ? raw["cache_creation"] : {};
  const searches = isObject(raw["server_tool_use"]) ? raw["server_tool_use"] : {};
  const stated = count(raw["cache_creation_input_tokens"]);
  const parts = count(split["ephemeral_1h_input_tokens"]) + count(split["ephemeral_5m_input_tokens"]);
  // With several iterations the parts are less than the whole; what they leave out counts as five minutes, as in the CLI.
  const written = raw["cache_creation_input_tokens"] === undefined ? parts : stated;
  const hour = Math.min(count(split["ephemeral_1h_input_tokens"]), written);
  return {
    inputTokens: count(raw["input_tokens"]),
    outputTokens: count(raw["output_tokens"]),
    cacheReadTokens: count(raw["cache_read_input_tokens"]),
    cacheWriteTokens: written,
    cacheWrite5mTokens: written - hour,
    cacheWrite1hTokens: hour,
    webSearches: count(searches["web_search_requests"]),
  };
}

function parseAdvisors(iterations: unknown): ResponseUsage["advisors"] {
  if (!Array.isArray(iterations) || iterations.length === 0) return NO_ADVISORS;
  return iterations
    .filter((iteration) => isObject(iteration) && iteration["type"] === "advisor_message")
    .map((iteration: Record<string, unknown>) => ({
      model: typeof iteration["model"] === "string" ? iteration["model"] : "unknown",
      usage: parseTokens(iteration),
    }));
}

const NO_ADVISORS: ResponseUsage["advisors"] = [];

/** More than any response has: what a damaged file says beyond it is no count. */
const MOST_TOKENS = 1_000_000_000;

function count(value: unknown): number {
  return typeof value === "number" && isCount(value) ? Math.round(value) : 0;
}

function isCount(value: unknown): boolean {
  return typeof value !== "number" || (value >= 0 && value <= MOST_TOKENS);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
