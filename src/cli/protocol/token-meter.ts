import { addUsage, NO_USAGE, tokensOf, type Usage } from "../../core/index.ts";

/** Counts the tokens of a turn while it runs. */
export interface TokenMeter {
  /** Takes in a message of the engine; those that tell no tokens change nothing. */
  read(message: unknown): void;
  tokens(): number;
}

/**
 * Makes a meter that calls `onSpent` once more than the given tokens are used. A response that is the turn's last one is let
 * through: nothing would be saved by stopping what is over.
 */
export function createTokenMeter(maxTokens: number, onSpent: () => void): TokenMeter {
  const responses = new Map<string, Usage>();
  /** The response that is being streamed: one for the main conversation, one for each sub-agent. */
  const open = new Map<string, string>();
  const tokens = (): number => tokensOf([...responses.values()].reduce(addUsage, NO_USAGE));
  const take = (id: string, usage: ApiUsage = {}): void =>
    void responses.set(id, largest(responses.get(id) ?? NO_USAGE, usage));

  return {
    tokens,
    read(given) {
      const { type, event, message, parent_tool_use_id: parent } = given as SdkMessage;
      const place = parent ?? "";
      const before = tokens();
      if (type === "assistant" && message) take(message.id, message.usage);
      if (event?.type === "message_start" && event.message) {
        open.set(place, event.message.id);
        take(event.message.id, event.message.usage);
      }
      if (event?.type === "message_delta") take(open.get(place) ?? "", event.usage);
      const isLast = event?.type === "message_delta" && event.delta?.stop_reason !== "tool_use" && place === "";
      if (tokens() > before && !isLast && tokens() > maxTokens) onSpent();
    },
  };
}

type ApiUsage = Readonly<Record<string, number | null | undefined>>;

interface ApiMessage {
  readonly id: string;
  readonly usage?: ApiUsage;
}

/** What is looked at of the SDK's messages. */
interface SdkMessage {
  readonly type?: string;
  readonly message?: ApiMessage;
  readonly parent_tool_use_id?: string | null;
  readonly event?: {
    readonly type: string;
    readonly message?: ApiMessage;
    readonly usage?: ApiUsage;
    readonly delta?: { readonly stop_reason?: string | null };
  };
}

/** A stream repeats its counts, and they only grow. */
function largest(known: Usage, told: ApiUsage): Usage {
  return {
    inputTokens: Math.max(known.inputTokens, told["input_tokens"] ?? 0),
    outputTokens: Math.max(known.outputTokens, told["output_tokens"] ?? 0),
    cacheReadTokens: Math.max(known.cacheReadTokens, told["cache_read_input_tokens"] ?? 0),
    cacheWriteTokens: Math.max(known.cacheWriteTokens, told["cache_creation_input_tokens"] ?? 0),
  };
}
