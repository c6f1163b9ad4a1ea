import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import { addUsage, NO_USAGE, type ModelUsage, type Usage, emptyRecord } from "../../core/index.ts";

interface Counted {
  readonly model: string;
  readonly usage: Usage;
  /** Whether the API has told what it came to. */
  readonly isFinal: boolean;
}

/** Tokens as the stream tells them: what is left to count by where a turn was killed before its result. */
export interface StreamUsage {
  read(message: SDKMessage): void;
  /** Whether a response broke off, so that nobody knows what it came to. */
  hasBrokenOff(): boolean;
  /** How many responses there were. */
  count(): number;
  /** Once per response, the latest count; the money is not told, so it is 0. */
  byModel(): Readonly<Record<string, ModelUsage>>;
}

type ApiUsage = Readonly<Record<string, number | null | undefined>>;

/** Counts the responses of one turn. */
export function createStreamUsage(): StreamUsage {
  const responses = new Map<string, Counted>();
  let current = "";
  let isConnectionLost = false;
  return {
    read(message) {
      // What had come by then the CLI may not tell at all.
      if (message.type === "system" && message.subtype === "api_retry" && message.error_status === null) {
        isConnectionLost = true;
      }
      if (message.type !== "stream_event") return;
      const event = message.event as {
        type: string;
        message?: { id: string; model: string; usage: ApiUsage };
        delta?: { stop_reason?: string | null };
        usage?: ApiUsage;
      };
      if (event.type === "message_start" && event.message) {
        current = event.message.id;
        responses.set(current, { model: event.message.model, usage: toUsage(event.message.usage), isFinal: false });
      }
      const open = responses.get(current);
      if (event.type === "message_delta" && event.usage && open) {
        const usage = { ...open.usage, outputTokens: toUsage(event.usage).outputTokens };
        // The CLI ends a response that broke off by itself, without a reason.
        responses.set(current, {
          ...open,
          usage,
          isFinal: open.isFinal || typeof event.delta?.stop_reason === "string",
        });
      }
    },
    hasBrokenOff: () => isConnectionLost || [...responses.values()].some(({ isFinal }) => !isFinal),
    count: () => responses.size,
    byModel() {
      const sums = emptyRecord<ModelUsage>();
      for (const { model, usage } of responses.values()) {
        sums[model] = { ...addUsage(sums[model] ?? NO_USAGE, usage), costUsd: 0 };
      }
      return sums;
    },
  };
}

function toUsage(usage: ApiUsage): Usage {
  return {
    inputTokens: usage["input_tokens"] ?? 0,
    outputTokens: usage["output_tokens"] ?? 0,
    cacheReadTokens: usage["cache_read_input_tokens"] ?? 0,
    cacheWriteTokens: usage["cache_creation_input_tokens"] ?? 0,
  };
}
