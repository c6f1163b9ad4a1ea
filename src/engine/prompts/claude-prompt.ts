import { z } from "zod";
import { SkeinError } from "../../core/index.ts";
import type { Attachment } from "./attachment.ts";
import { describeGiven } from "../options/describe-given.ts";

/** What is asked of the agent. */
export interface ClaudePrompt {
  readonly text: string;
  /** Images and documents that go with it. */
  readonly attachments: readonly Attachment[];
}

/** What a prompt is made of: a text, or a text with attachments. */
export type PromptSource = string | { readonly text: string; readonly attachments?: readonly Attachment[] };

const IMAGES = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;

const attachment: z.ZodType<Attachment> = z.discriminatedUnion("type", [
  z.object({ type: z.literal("image"), name: z.string(), mediaType: z.enum(IMAGES), data: z.string() }),
  z.object({ type: z.literal("pdf"), name: z.string(), data: z.string() }),
  z.object({ type: z.literal("text"), name: z.string(), text: z.string() }),
]);

const source = z.union([
  z.string(),
  z.strictObject({ text: z.string(), attachments: z.array(attachment).readonly().optional() }),
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
    hint: "Give a string, { text, attachments? } with attachments of createAttachment, or an async iterable of these.",
  });
}
