import type { Attachment } from "../prompts/attachment.ts";
import type { ClaudeOptions } from "../options/claude-options.ts";
import type { ClaudePrompt } from "../prompts/claude-prompt.ts";
import { redactValue, type Redact } from "./redact-value.ts";

/** A prompt without the secrets in its texts; what is inside images and PDFs is not looked at. */
export function redactPrompt(prompt: ClaudePrompt, redact: Redact): ClaudePrompt {
  return {
    ...prompt,
    text: redact(prompt.text),
    attachments: prompt.attachments.map((attachment) => redactAttachment(attachment, redact)),
  };
}

/** The options that the model reads, without their secrets. Others, such as `env` and `mcpServers`, need theirs. */
export function redactOptions({ systemPrompt, agents }: ClaudeOptions, redact: Redact): ClaudeOptions {
  return {
    ...(systemPrompt === undefined ? {} : { systemPrompt: redactValue(systemPrompt, redact) }),
    ...(agents === undefined
      ? {}
      : {
          agents: mapValues(agents, (agent) => ({
            ...agent,
            ...redactValue({ description: agent.description, prompt: agent.prompt }, redact),
          })),
        }),
  };
}

function redactAttachment(attachment: Attachment, redact: Redact): Attachment {
  const name = redact(attachment.name);
  return attachment.type === "text" ? { ...attachment, name, text: redact(attachment.text) } : { ...attachment, name };
}

function mapValues<Value>(
  record: Readonly<Record<string, Value>>,
  map: (value: Value) => Value,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
