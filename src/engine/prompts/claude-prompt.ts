import type { SDKUserMessage } from "@anthropic-ai/claude-agent-sdk";
import type { UUID } from "node:crypto";
import { z } from "zod";
import { SkeinError, toSkeinError } from "../../core/internal.ts";
import { describeGiven } from "../options/parse-options.ts";
import { attachmentSchema, type Attachment } from "./attachment.ts";

/** What is asked of the agent. */
export interface ClaudePrompt {
  readonly text: string;
  /** Images and documents that go with it. */
  readonly attachments: readonly Attachment[];
}

/** What a prompt is made of: a text, or a text with attachments. */
export type PromptSource = string | { readonly text: string; readonly attachments?: readonly Attachment[] };

const source = z.union([
  z.string(),
  z.strictObject({ text: z.string(), attachments: z.array(attachmentSchema).readonly().optional() }),
]);

/** Makes a prompt of a text, or of a text with attachments; anything else is an error of kind `usage`. */
export function claudePrompt(prompt: PromptSource): ClaudePrompt {
  if (!source.safeParse(prompt).success) throw notAPrompt(prompt);
  if (typeof prompt === "string") return { text: prompt, attachments: [] };
  return { text: prompt.text, attachments: prompt.attachments ?? [] };
}

function notAPrompt(value: unknown): SkeinError {
  return new SkeinError(`The prompt is ${describeGiven(value, [])}`, {
    kind: "usage",
    target: "prompt",
    hint: "Give a string, { text, attachments? } with attachments of createAttachment(), or an async iterable of these.",
  });
}

/** The whole prompt, as `readPrompt` gives it; one that asks for nothing is refused. */
export async function readTask(input: PromptInput, signal?: AbortSignal): Promise<ClaudePrompt> {
  const prompt = await readPrompt(input, signal);
  if (prompt.text.trim() !== "") return prompt;
  const hint = "Say what the agent should do.";
  throw new SkeinError("The prompt is empty", { kind: "usage", target: "prompt", hint });
}

/** A user message as the SDK's own streams of prompts give it; what else than text it holds is for `attachments` to say. */
export interface UserMessagePart {
  readonly type: "user";
  readonly message: { readonly content: string | readonly { readonly type: string; readonly text?: string }[] };
}

/** A prompt in any form that is taken: an async iterable gives its parts one after the other, and all of them are one prompt. */
export type PromptInput = PromptSource | Parts;

type Parts = AsyncIterable<PromptSource | UserMessagePart>;

/** The whole prompt, at once or when all of its parts are there; what is none is an error of kind `usage`. */
export function readPrompt(input: PromptInput, signal?: AbortSignal): ClaudePrompt | Promise<ClaudePrompt> {
  return isAsyncIterable(input) ? gather(input, signal) : claudePrompt(input);
}

async function gather(parts: Parts, signal: AbortSignal | undefined): Promise<ClaudePrompt> {
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

function isAsyncIterable(input: unknown): input is Parts {
  return typeof input === "object" && input !== null && Symbol.asyncIterator in input;
}

/** A prompt as the SDK takes it: attachments first, the text last. The result that answers it names it by its id. */
export function toUserMessage(prompt: ClaudePrompt, id: UUID): SDKUserMessage {
  const content = [...prompt.attachments.map(toBlock), { type: "text" as const, text: prompt.text }];
  return { type: "user", message: { role: "user", content }, parent_tool_use_id: null, uuid: id };
}

function toBlock(attachment: Attachment): Exclude<SDKUserMessage["message"]["content"], string>[number] {
  if (attachment.type === "image") {
    return { type: "image", source: { type: "base64", media_type: attachment.mediaType, data: attachment.data } };
  }
  const content =
    attachment.type === "pdf"
      ? ({ type: "base64", media_type: "application/pdf", data: attachment.data } as const)
      : ({ type: "text", media_type: "text/plain", data: attachment.text } as const);
  return { type: "document", title: attachment.name, source: content };
}
