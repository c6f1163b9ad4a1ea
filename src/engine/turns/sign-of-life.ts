import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";

/**
 * Whether a message shows that a turn gets on: a prompt that is taken up, a response that begins, a token, a whole block, a tool, a task, an attempt to reach the API again. What
 * only keeps a connection open does not: pings, deltas with nothing in them, blocks that begin and end.
 */
export function isSignOfLife(message: SDKMessage): boolean {
  switch (message.type) {
    case "stream_event":
      return message.event.type === "message_start" || hasToken(message.event);
    case "system":
      return message.subtype !== "thinking_tokens" || message.estimated_tokens_delta > 0;
    case "assistant":
    case "user":
    case "result":
    case "tool_progress":
    case "tool_use_summary":
      return true;
    default:
      // A prompt was taken up, or done with: the SDK's types leave this kind out.
      return (message.type as string) === "command_lifecycle";
  }
}

/** A delta names its kind, and holds what has come in another field: `text`, `thinking`, `partial_json`, `signature`. */
function hasToken(event: object): boolean {
  const { type, delta } = event as { readonly type: string; readonly delta?: object };
  if (type !== "content_block_delta" || delta === undefined) return false;
  const { type: _, ...content } = delta as Readonly<Record<string, unknown>>;
  return Object.values(content).some((value) => value !== "" && value !== null && value !== undefined);
}
