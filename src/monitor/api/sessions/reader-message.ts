import { z } from "zod";
import { toUsd, microUsd } from "../../../core/internal.ts";
import { MessageData, toMessageData } from "../../../page/index.ts";
import { costOf, type Image, type TranscriptMessage } from "../../../transcript/internal.ts";

const PictureData = z.strictObject({
  media_type: z.string().describe("`image/png`, `image/jpeg`, `image/gif` or `image/webp`"),
  size_bytes: z.int().describe("Its size"),
  data_base64: z.string().nullable().describe("The picture; null where it is too large to be told unasked"),
});

const tool = MessageData.shape.tools.element;

/** A message as whoever reads a session wants it. */
export const ReaderMessageData = z.strictObject({
  ...MessageData.shape,
  tools: z
    .array(
      z.strictObject({
        ...tool.shape,
        tool_use_id: z.string().describe("The call's id"),
        pictures: z.array(PictureData).describe("The pictures in what it gave"),
      }),
    )
    .describe("The tool calls in it"),
  pictures: z.array(PictureData).describe("The pictures in the message itself"),
  message_id: z.string().nullable().describe("The response's id; null of a message of the user's"),
  agent_id: z.string().nullable().describe("The sub-agent that it belongs to; null in the main conversation"),
  stop_reason: z.string().nullable().describe("Why the response ended; null where the record does not say"),
  usage: z
    .strictObject({
      input_tokens: z.int().describe("Tokens that were read and not from the cache"),
      output_tokens: z.int().describe("Tokens that were written, thinking too"),
      cache_read_tokens: z.int().describe("Tokens that were read from the cache"),
      cache_write_tokens: z.int().describe("Tokens that were written into the cache"),
      cost_usd: z.number().nullable().describe("Money by the price list; null where the model has no known price"),
      is_final: z.boolean().describe("Whether the counts are final: they are lower bounds otherwise"),
    })
    .nullable()
    .describe("What the response used; null of a message of the user's"),
  is_cut: z.boolean().describe("Whether a text, an input or a result was too long and is cut: `whole` tells all of it"),
});

type ReaderMessageData = z.infer<typeof ReaderMessageData>;

/** What nobody reads on a page, and would hold it up. */
const MOST_CHARACTERS = 200_000;
const MOST_PICTURE_BYTES = 4 * 1024 ** 2;
/** Of all pictures of a page together. */
const MOST_PICTURES_BYTES = 16 * 1024 ** 2;

/** A vector picture may hold more than a picture. */
const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Puts messages into the words of the interface. Long texts are cut unless all is wanted: a line of a transcript may be as long as a disk. */
export function toReaderMessages(
  messages: readonly TranscriptMessage[],
  { isWhole }: { readonly isWhole: boolean },
): ReaderMessageData[] {
  let pictureBytes = 0;
  const toPictures = (images: readonly Image[]): ReaderMessageData["pictures"] =>
    images.flatMap(({ mediaType, data }) => {
      if (data === undefined || !PICTURES.has(mediaType)) return [];
      const size = Math.floor((data.length * 3) / 4);
      pictureBytes += size;
      const isTold = isWhole || (size <= MOST_PICTURE_BYTES && pictureBytes <= MOST_PICTURES_BYTES);
      return [{ media_type: mediaType, size_bytes: size, data_base64: isTold ? data : null }];
    });
  // One after the other: `toMessageData` leaves some out.
  return messages.flatMap((message) =>
    toMessageData([message]).map((data) => {
      const cutter = createCutter(isWhole);
      const { toolUses, messageId, agentId, stopReason } = message;
      return {
        ...data,
        text: cutter.text(data.text),
        thinking: cutter.text(data.thinking),
        tools: data.tools.map((call, at) => ({
          ...call,
          input: cutter.json(call.input),
          result: call.result === null ? null : cutter.text(call.result),
          tool_use_id: toolUses[at]?.id ?? "",
          pictures: toPictures(toolUses[at]?.result?.images ?? []),
        })),
        pictures: toPictures(message.images),
        message_id: messageId ?? null,
        agent_id: agentId ?? null,
        stop_reason: stopReason ?? null,
        usage: toUsage(message),
        is_cut: cutter.hasCut(),
      };
    }),
  );
}

function createCutter(isWhole: boolean) {
  let hasCut = false;
  const text = (given: string): string => {
    if (isWhole || given.length <= MOST_CHARACTERS) return given;
    hasCut = true;
    return given.slice(0, MOST_CHARACTERS);
  };
  return {
    text,
    /** The texts in it are cut; what is large by their number is left out. */
    json(given: unknown): unknown {
      if (isWhole) return given;
      const cut = cutTexts(given, text);
      if ((JSON.stringify(cut) ?? "").length <= 2 * MOST_CHARACTERS) return cut;
      hasCut = true;
      return null;
    },
    hasCut: () => hasCut,
  };
}

/** Deeper ones were not made by a model. */
const DEEPEST = 50;

function cutTexts(given: unknown, cut: (text: string) => string, depth = 0): unknown {
  if (typeof given === "string") return cut(given);
  if (typeof given !== "object" || given === null || depth > DEEPEST) return typeof given === "object" ? null : given;
  if (Array.isArray(given)) return given.map((each) => cutTexts(each, cut, depth + 1));
  return Object.fromEntries(Object.entries(given).map(([name, each]) => [name, cutTexts(each, cut, depth + 1)]));
}

function toUsage({ usage: line }: TranscriptMessage): ReaderMessageData["usage"] {
  if (!line) return null;
  const { usage, model, isFinal } = line;
  const cost = costOf(model, line);
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_tokens: usage.cacheReadTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    cost_usd: cost === undefined ? null : toUsd(microUsd(cost)),
    is_final: isFinal,
  };
}
