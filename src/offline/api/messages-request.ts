import { z } from "zod";

const Block = z.looseObject({ type: z.string() });

const Message = z.looseObject({
  role: z.enum(["user", "assistant", "system"]),
  content: z.union([z.string(), z.array(Block)]),
});

/** What a client posts to `/v1/messages`: checked where the offline model reads it, kept whole otherwise. */
export const MessagesRequest = z.looseObject({
  model: z.string(),
  max_tokens: z.int().positive(),
  messages: z.array(Message).min(1),
  system: z.union([z.string(), z.array(Block)]).optional(),
  tools: z.array(z.looseObject({ name: z.string() })).optional(),
  stream: z.boolean().optional(),
  metadata: z.looseObject({ user_id: z.string().nullish() }).optional(),
  output_config: z
    .looseObject({ format: z.looseObject({ type: z.string(), schema: z.unknown() }).nullish() })
    .optional(),
});

export type MessagesRequest = z.infer<typeof MessagesRequest>;

/** A request to count tokens: the same, but nothing is to be written. */
export const CountTokensRequest = MessagesRequest.partial({ max_tokens: true });

export type RequestBlock = z.infer<typeof Block>;

/** A message's content as blocks, a plain string being one block of text. */
export function blocksOf(content: string | readonly RequestBlock[] | undefined): readonly RequestBlock[] {
  if (content === undefined) return [];
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

export function textOf(block: RequestBlock): string | undefined {
  return block.type === "text" && typeof block["text"] === "string" ? block["text"] : undefined;
}
