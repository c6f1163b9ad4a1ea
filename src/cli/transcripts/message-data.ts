import { z } from "zod";
import type { TranscriptMessage } from "../../transcript/index.ts";

/** A message of a session, as the envelope tells it. */
export const MessageData = z.strictObject({
  role: z.enum(["user", "assistant"]),
  /** Why it is there: `prompt`, `answer`, `tool-result`, `meta`, `command-output`, `interrupt`, `compact-summary`. */
  kind: z.string(),
  uuid: z.string().nullable(),
  at: z.string().nullable(),
  model: z.string().nullable(),
  text: z.string(),
  thinking: z.string(),
  tools: z.array(
    z.strictObject({
      tool: z.string(),
      input: z.unknown(),
      /** What it gave; null where it never did. */
      result: z.string().nullable(),
      is_error: z.boolean(),
      duration_ms: z.number().nullable(),
    }),
  ),
  /** How many images it holds; the files have them. */
  images: z.int(),
});

/** A message of a session, as the envelope tells it. */
export type MessageData = z.infer<typeof MessageData>;

/** Puts messages into the words of the envelope; results of tools stand with the calls that they answer. */
export function toMessageData(messages: readonly TranscriptMessage[]): MessageData[] {
  return messages
    .filter(({ kind, images }) => kind !== "tool-result" || images.length > 0)
    .map((message) => ({
      role: message.role,
      kind: message.kind,
      uuid: message.uuid ?? null,
      at: message.timestamp ?? null,
      model: message.model ?? null,
      text: message.text,
      thinking: message.thinking,
      tools: message.toolUses.map(({ name, input, result, durationMs }) => ({
        tool: name,
        input,
        result: result?.text ?? null,
        is_error: result?.isError ?? false,
        duration_ms: durationMs ?? null,
      })),
      images: message.images.length,
    }));
}
