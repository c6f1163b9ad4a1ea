import type { Attachment } from "./attachment.ts";

/** What is asked of the agent. */
export interface ClaudePrompt {
  readonly text: string;
  /** Images and documents that go with it. */
  readonly attachments: readonly Attachment[];
}

/** Makes a prompt. */
export function claudePrompt(prompt: {
  readonly text: string;
  readonly attachments?: readonly Attachment[];
}): ClaudePrompt {
  return { text: prompt.text, attachments: prompt.attachments ?? [] };
}
