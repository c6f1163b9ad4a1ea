import { createId, offlineMessageId } from "../../core/internal.ts";
import type { Reply, ReplyBlock } from "../model/reply.ts";

export type ApiMessage = ReturnType<typeof toApiMessage>;

export interface InputUsage {
  readonly input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_creation: { readonly ephemeral_5m_input_tokens: number; readonly ephemeral_1h_input_tokens: number };
}

/** One event of a streamed response; its `type` is also the event's name on the wire. */
export interface StreamEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

export function toApiMessage(
  reply: Reply,
  { model, input, scenario }: { readonly model: string; readonly input: InputUsage; readonly scenario: string },
) {
  return {
    id: offlineMessageId(scenario, createId().replaceAll("-", "")),
    type: "message",
    role: "assistant",
    model,
    content: reply.blocks,
    stop_reason: reply.stopReason,
    stop_sequence: null,
    usage: { ...input, output_tokens: estimateTokens(JSON.stringify(reply.blocks)), service_tier: "standard" },
  };
}

export function toStreamEvents(message: ApiMessage): readonly StreamEvent[] {
  const { usage } = message;
  const opening = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  return [
    { type: "message_start", message: opening },
    { type: "ping" },
    ...message.content.flatMap(toBlockEvents),
    { type: "message_delta", delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage },
    { type: "message_stop" },
  ];
}

export function formatEvent(event: StreamEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function toBlockEvents(block: ReplyBlock, index: number): readonly StreamEvent[] {
  const { empty, deltas } = takeApart(block);
  return [
    { type: "content_block_start", index, content_block: empty },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

/** A block as it begins, and what fills it. */
function takeApart(block: ReplyBlock): { readonly empty: ReplyBlock; readonly deltas: readonly object[] } {
  switch (block.type) {
    case "text":
      return {
        empty: { ...block, text: "" },
        deltas: pieces(block.text).map((text) => ({ type: "text_delta", text })),
      };
    case "thinking": {
      const deltas = pieces(block.thinking).map((thinking) => ({ type: "thinking_delta", thinking }));
      const { signature } = block;
      return {
        empty: { ...block, thinking: "", signature: "" },
        deltas: [...deltas, { type: "signature_delta", signature }],
      };
    }
    case "tool_use": {
      const deltas = pieces(JSON.stringify(block.input)).map((json) => ({
        type: "input_json_delta",
        partial_json: json,
      }));
      return { empty: { ...block, input: {} }, deltas };
    }
  }
}

/** Cuts a text into deltas of about a word or two, so that a stream looks like one; never inside a character. */
function pieces(text: string): readonly string[] {
  return text.match(/.{1,16}/gsu) ?? [];
}

/** About how many tokens a text has: one for every four bytes, at least one. */
export function estimateTokens(text: string): number {
  return Math.max(1, Math.ceil(Buffer.byteLength(text) / 4));
}
