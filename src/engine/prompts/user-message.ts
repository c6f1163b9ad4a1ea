import type { UUID } from "node:crypto";
import type { SDKUserMessage } from "@anthropic-ai/claude-agent-sdk";
import type { Attachment } from "./attachment.ts";
import type { ClaudePrompt } from "./claude-prompt.ts";

type ContentBlock = Exclude<SDKUserMessage["message"]["content"], string>[number];

/** A prompt as the SDK takes it: attachments first, the text last. The result that answers it names it by its id. */
export function toUserMessage(prompt: ClaudePrompt, id: UUID): SDKUserMessage {
  const content = [...prompt.attachments.map(toBlock), { type: "text" as const, text: prompt.text }];
  return { type: "user", message: { role: "user", content }, parent_tool_use_id: null, uuid: id };
}

function toBlock(attachment: Attachment): ContentBlock {
  switch (attachment.type) {
    case "image":
      return { type: "image", source: { type: "base64", media_type: attachment.mediaType, data: attachment.data } };
    case "pdf":
      return {
        type: "document",
        title: attachment.name,
        source: { type: "base64", media_type: "application/pdf", data: attachment.data },
      };
    case "text":
      return {
        type: "document",
        title: attachment.name,
        source: { type: "text", media_type: "text/plain", data: attachment.text },
      };
  }
}
