import { z } from "zod";
import { SkeinError, toSkeinError } from "../../core/index.ts";
import { claudePrompt, type ClaudePrompt, type PromptSource } from "./claude-prompt.ts";

/** A user message as the SDK's own streams of prompts give it; what else than text it holds is for `attachments` to say. */
export interface UserMessagePart {
  readonly type: "user";
  readonly message: { readonly content: string | readonly { readonly type: string; readonly text?: string }[] };
}

/** A prompt in any form that is taken: an async iterable gives its parts one after the other, and all of them are one prompt. */
export type PromptInput = PromptSource | AsyncIterable<PromptSource | UserMessagePart>;

/** The whole prompt, at once or when all of its parts are there; what is none is an error of kind `usage`. */
export function readPrompt(input: PromptInput, signal?: AbortSignal): ClaudePrompt | Promise<ClaudePrompt> {
  return isAsyncIterable(input) ? gather(input, signal) : claudePrompt(input);
}

async function gather(
  parts: AsyncIterable<PromptSource | UserMessagePart>,
  signal: AbortSignal | undefined,
): Promise<ClaudePrompt> {
  const read: ClaudePrompt[] = [];
  const left = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    const stop = (): void => reject(new SkeinError("The turn was cancelled", { kind: "cancelled" }));
    signal?.addEventListener("abort", stop, { once: true, signal: left.signal });
    if (signal?.aborted) stop();
  });
  const iterator = parts[Symbol.asyncIterator]();
  let isOver = false;
  try {
    for (;;) {
      const { done, value } = await Promise.race([iterator.next(), aborted]);
      isOver = done === true;
      if (done) break;
      read.push(claudePrompt(toSource(value)));
    }
  } catch (error) {
    throw toSkeinError(error);
  } finally {
    left.abort();
    aborted.catch(() => undefined);
    // One that waits for its next part may never answer: it is told, and not waited for.
    if (!isOver) void iterator.return?.().catch(() => undefined);
  }
  return {
    text: read.map(({ text }) => text).join("\n\n"),
    attachments: read.flatMap(({ attachments }) => attachments),
  };
}

const userMessage = z.looseObject({
  type: z.literal("user"),
  message: z.looseObject({
    content: z.union([z.string(), z.array(z.looseObject({ type: z.literal("text"), text: z.string() }))]),
  }),
});

function toSource(part: PromptSource | UserMessagePart): PromptSource {
  const { data } = userMessage.safeParse(part);
  if (!data) return part as PromptSource;
  const { content } = data.message;
  return typeof content === "string" ? content : content.map(({ text }) => text).join("\n\n");
}

function isAsyncIterable(input: unknown): input is AsyncIterable<PromptSource | UserMessagePart> {
  return typeof input === "object" && input !== null && Symbol.asyncIterator in input;
}
