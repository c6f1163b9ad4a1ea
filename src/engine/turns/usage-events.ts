import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import { parseApiUsage, type ToldUsage } from "../../core/internal.ts";

interface ApiMessage {
  readonly id: string;
  readonly model: string;
  readonly usage: Readonly<Record<string, unknown>>;
}

/** Reads from the SDK's messages, in one turn, what responses have used, as it becomes known. */
export function createUsageReader() {
  /** The response that each agent streams now, by the tool call that it works for. */
  const streamed = new Map<string, ToldUsage>();
  const known = new Set<string>();
  const unfinished = new Set<string>();
  let isConnectionLost = false;

  const begin = ({ id: messageId, model, usage }: ApiMessage): ToldUsage => {
    known.add(messageId);
    return { type: "usage", messageId, model, usage: parseApiUsage(usage), isFinal: false };
  };

  const readStream = (message: SDKMessage & { type: "stream_event" }): ToldUsage | undefined => {
    const event = message.event as StreamEvent;
    const speaker = message.parent_tool_use_id ?? "";
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
    /** Undefined for a message that tells nothing new. */
    read(given: unknown): ToldUsage | undefined {
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
    /** The ids of the responses, each once. */
    messageIds: (): Iterable<string> => known,
    /** Whether a response broke off, so that nobody knows what it came to. */
    hasBrokenOff: () => isConnectionLost || unfinished.size > 0,
  };
}

interface StreamEvent {
  readonly type: string;
  readonly message?: ApiMessage;
  readonly delta?: { readonly stop_reason?: string | null };
  readonly usage?: ApiMessage["usage"];
}
