import { NO_USAGE, type Usage } from "../../core/internal.ts";
import { isObject, string, type Fields } from "../records/content.ts";
import { momentText } from "../records/moment-text.ts";
import { unwrapProgress } from "../records/unwrap-progress.ts";

/** What one record says of the usage of a response. A response has several such records, and the last one counts. */
export interface UsageLine {
  /** The API's id of the response; without one the record's own, so that it counts by itself. */
  readonly messageId: string;
  readonly model: string;
  readonly usage: TokenUsage;
  readonly isFast: boolean;
  /** Whether the inference was held to the United States. */
  readonly isUsOnly: boolean;
  /** Whether a count is no number of tokens that a response can have: it counts as none, and the rest as a lower bound. */
  readonly isDamaged: boolean;
  /** What an advisor used within the response: another model, and not part of the counts above. */
  readonly advisors: readonly { readonly model: string; readonly usage: TokenUsage }[];
  /** Whether the record names a stop reason: without one on any of its records the counts are placeholders. */
  readonly isFinal: boolean;
  readonly timestamp: string | undefined;
  readonly sessionId: string | undefined;
  readonly agentId: string | undefined;
  readonly isSidechain: boolean;
  readonly cwd: string | undefined;
  /** Dollars that the record itself states, as early versions did. */
  readonly recordedCostUsd: number | undefined;
}

/** Tokens as transcripts count them: what was written to the cache is split by how long it is kept. */
export interface TokenUsage extends Usage {
  readonly cacheWrite5mTokens: number;
  readonly cacheWrite1hTokens: number;
  readonly webSearches: number;
}

export const NO_TOKENS: TokenUsage = { ...NO_USAGE, cacheWrite5mTokens: 0, cacheWrite1hTokens: 0, webSearches: 0 };

const COUNTS = ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"] as const;

/** The usage that a parsed record states: an assistant's, or a sub-agent's that is only seen in a progress record. */
export function usageLineOf(value: unknown): UsageLine | undefined {
  const record = isObject(value) ? (unwrapProgress(value) ?? value) : {};
  const message = record["message"];
  if (record["type"] !== "assistant" || !isObject(message)) return undefined;
  const raw = message["usage"];
  const messageId = string(message["id"]) ?? string(record["uuid"]);
  if (messageId === undefined || !isObject(raw) || !COUNTS.some((key) => raw[key] !== undefined)) return undefined;
  const isDamaged = COUNTS.some((key) => !isCount(raw[key]));
  return {
    messageId,
    model: string(message["model"]) ?? "unknown",
    usage: parseTokens(raw),
    isFast: raw["speed"] === "fast",
    isUsOnly: raw["inference_geo"] === "us",
    isDamaged,
    advisors: parseAdvisors(raw["iterations"]),
    isFinal: string(message["stop_reason"]) !== undefined && !isDamaged,
    timestamp: momentText(record["timestamp"]),
    sessionId: string(record["sessionId"]),
    agentId: string(record["agentId"]),
    isSidechain: record["isSidechain"] === true,
    cwd: string(record["cwd"]),
    recordedCostUsd: positive(record["costUSD"]),
  };
}

/** Later versions that wrote the field wrote zero: that is no price. Nor is what no response costs. */
function positive(value: unknown): number | undefined {
  return typeof value === "number" && value > 0 && value < MOST_USD ? value : undefined;
}

const MOST_USD = 1_000_000;

function parseTokens(raw: Fields): TokenUsage {
  const split = isObject(raw["cache_creation"]) ? raw["cache_creation"] : {};
  const searches = isObject(raw["server_tool_use"]) ? raw["server_tool_use"] : {};
  const stated = raw["cache_creation_input_tokens"];
  const hourPart = count(split["ephemeral_1h_input_tokens"]);
  // With several iterations the parts are less than the whole; what they leave out counts as five minutes, as in the CLI.
  const written = stated === undefined ? hourPart + count(split["ephemeral_5m_input_tokens"]) : count(stated);
  const hour = Math.min(hourPart, written);
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

function parseAdvisors(iterations: unknown): UsageLine["advisors"] {
  if (!Array.isArray(iterations) || iterations.length === 0) return NO_ADVISORS;
  return iterations
    .filter((iteration) => isObject(iteration) && iteration["type"] === "advisor_message")
    .map((iteration: Fields) => ({ model: string(iteration["model"]) ?? "unknown", usage: parseTokens(iteration) }));
}

const NO_ADVISORS: UsageLine["advisors"] = [];

/** More than any response has: what a damaged file says beyond it is no count. */
const MOST_TOKENS = 1_000_000_000;

function count(value: unknown): number {
  return typeof value === "number" && isCount(value) ? Math.round(value) : 0;
}

function isCount(value: unknown): boolean {
  return typeof value !== "number" || (value >= 0 && value <= MOST_TOKENS);
}
