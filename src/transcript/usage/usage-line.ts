import { momentText } from "../records/moment-text.ts";
import { parseUsage, type ResponseUsage } from "./token-usage.ts";

/** What one record says of the usage of a response. A response has several such records, and the last one counts. */
export interface UsageLine extends ResponseUsage {
  /** The API's id of the response; without one the record's own, so that it counts by itself. */
  readonly messageId: string;
  readonly model: string;
  /** Whether the record names a stop reason: without one on any of its records the counts are placeholders. */
  readonly isFinal: boolean;
  readonly timestamp: string | undefined;
  readonly sessionId: string | undefined;
  /** The sub-agent whose response it is. */
  readonly agentId: string | undefined;
  readonly isSidechain: boolean;
  /** The working directory that the record names. */
  readonly cwd: string | undefined;
  /** Dollars that the record itself states, as early versions did. */
  readonly recordedCostUsd: number | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** The usage that a parsed record states: an assistant's, or a sub-agent's that is only seen in a progress record. */
export function usageLineOf(record: unknown): UsageLine | undefined {
  if (!isObject(record)) return undefined;
  if (record["type"] === "assistant") return fromAssistant(record, record);
  const data = record["data"];
  if (record["type"] !== "progress" || !isObject(data) || data["type"] !== "agent_progress") return undefined;
  const inner = data["message"];
  if (!isObject(inner) || inner["type"] !== "assistant") return undefined;
  const envelope = { ...record, ...inner, agentId: data["agentId"] ?? record["agentId"], isSidechain: true };
  return fromAssistant(envelope, inner);
}

function fromAssistant(envelope: Json, record: Json): UsageLine | undefined {
  const message = record["message"];
  if (!isObject(message)) return undefined;
  const response = parseUsage(message["usage"]);
  const messageId = text(message["id"]) ?? text(record["uuid"]);
  if (response === undefined || messageId === undefined) return undefined;
  return {
    usage: response.usage,
    isFast: response.isFast,
    isUsOnly: response.isUsOnly,
    isDamaged: response.isDamaged,
    advisors: response.advisors,
    messageId,
    model: text(message["model"]) ?? "unknown",
    isFinal: text(message["stop_reason"]) !== undefined && !response.isDamaged,
    timestamp: momentText(envelope["timestamp"]),
    sessionId: text(envelope["sessionId"]),
    agentId: text(envelope["agentId"]),
    isSidechain: envelope["isSidechain"] === true,
    cwd: text(envelope["cwd"]),
    recordedCostUsd: positive(envelope["costUSD"]),
  };
}

/** Later versions that wrote the field wrote zero: that is no price. Nor is what no response costs. */
function positive(value: unknown): number | undefined {
  return typeof value === "number" && value > 0 && value < MOST_USD ? value : undefined;
}

const MOST_USD = 1_000_000;

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
