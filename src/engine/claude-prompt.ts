import type { Attachment } from "./attachment.ts";

/** What is asked of the agent. */
export interface ClaudePrompt {
  readonly text: string;
  /** Images and documents that go with it. */
  readonly attachments: readonly Attachment[];
}

/** Makes a prompt of a text, or of a text with attachments. */
export function claudePrompt(
  prompt: string | { readonly text: string; readonly attachments?: readonly Attachment[] },
): ClaudePrompt {
  if (typeof prompt === "string") return { text: prompt, attachments: [] };
  return { text: prompt.text, attachments: prompt.attachments ?? [] };
}
