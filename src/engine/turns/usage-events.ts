import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import { parseApiUsage, type ToldUsage } from "../../core/index.ts";

/** Reads from the SDK's messages what responses have used, as it becomes known. */
export interface UsageReader {
  /** Undefined for a message that tells nothing new. */
  read(message: unknown): ToldUsage | undefined;
  /** Whether a response broke off, so that nobody knows what it came to. */
  hasBrokenOff(): boolean;
}

type ApiUsage = Readonly<Record<string, unknown>>;

interface ApiMessage {
  readonly id: string;
  readonly model: string;
  readonly usage: ApiUsage;
}

/** Makes a reader for one turn. */
export function createUsageReader(): UsageReader {
  /** The response that each agent streams now, by the tool call that it works for. */
  const streamed = new Map<string, ToldUsage>();
  const known = new Set<string>();
  const unfinished = new Set<string>();
  let isConnectionLost = false;

  const begin = ({ id: messageId, model, usage }: ApiMessage): ToldUsage => {
    known.add(messageId);
    return { type: "usage", messageId, model, usage: parseApiUsage(usage), isFinal: false };
  };

  const readStream = ({ event: given, parent_tool_use_id: parent }: StreamMessage): ToldUsage | undefined => {
    const event = given as StreamEvent;
    const speaker = parent ?? "";
    if (event.type === "message_start" && event.message) {
      const begun = begin(event.message);
      streamed.set(speaker, begun);
      unfinished.add(begun.messageId);
      return begun;
    }
    const open = streamed.get(speaker);
    if (event.type !== "message_delta" || !event.usage || !open) return undefined;
    const usage = { ...open.usage, outputTokens: parseApiUsage(event.usage).outputTokens };
    // The CLI ends a response that broke off by itself, without a reason.
    const stopReason = event.delta?.stop_reason;
    const ended = typeof stopReason === "string" ? { isFinal: true, stopReason } : {};
    const told = { ...open, usage, ...ended };
    if (told.isFinal) unfinished.delete(told.messageId);
    streamed.set(speaker, told);
    return told;
  };

  return {
    read(given) {
      const message = given as SDKMessage;
      // What had come by then the CLI may not tell at all.
      if (message.type === "system" && message.subtype === "api_retry" && message.error_status === null) {
        isConnectionLost = true;
      }
      if (message.type === "stream_event") return readStream(message);
      // Of a sub-agent the CLI may tell whole messages only, with the counts that they began with.
      if (message.type !== "assistant" || message.message.model === "<synthetic>") return undefined;
      return known.has(message.message.id) ? undefined : begin(message.message as unknown as ApiMessage);
    },
    hasBrokenOff: () => isConnectionLost || unfinished.size > 0,
  };
}

type StreamMessage = SDKMessage & { type: "stream_event" };

interface StreamEvent {
  readonly type: string;
  readonly message?: ApiMessage;
  readonly delta?: { readonly stop_reason?: string | null };
  readonly usage?: ApiUsage;
}
