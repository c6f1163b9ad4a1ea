import type { ContentBlock, TranscriptMessage } from "../../transcript/index.ts";
import { escapeHtml } from "./escape-html.ts";
import { renderMarkdownHtml } from "./markdown/render-markdown-html.ts";
import { renderImage } from "./render-image.ts";
import { renderBoilerplate, renderFolded, renderPre } from "./render-parts.ts";
import { renderTool, type ToolSetting } from "./render-tool.ts";
import { splitSaid } from "./said.ts";
import { textField, toJson } from "./tool-fields.ts";

/** What a message is shown with. */
export interface MessageSetting extends ToolSetting {
  /** The calls that are shown: a result without one is shown by itself. */
  readonly isCalled: (toolUseId: string) => boolean;
}

/** A message of a turn, step by step in its own order. */
export function renderMessage(message: TranscriptMessage, setting: MessageSetting): string {
  switch (message.kind) {
    case "answer":
      return message.isApiError ? renderApiError(message) : renderAnswer(message, setting);
    case "prompt":
      return renderPrompt(message);
    case "tool-result":
      return renderStrayResults(message, setting);
    case "meta":
      return renderFolded(quiet("Claude Code added this"), renderPre(message.text), { className: "step fold" });
    case "command-output":
      return renderCommandOutput(message);
    case "interrupt":
      return `<p class="step note"><span aria-hidden="true">■</span> ${escapeHtml(message.text.replaceAll(/^\s*\[|\]\s*$/gu, ""))}</p>`;
    case "compact-summary":
      return `<p class="step note"><span aria-hidden="true">⋯</span> The conversation was cut down to a summary here</p>${renderFolded(quiet("The summary"), `<div class="said">${renderMarkdownHtml(message.text)}</div>`, { className: "step fold" })}`;
  }
}

/** What was asked, with what the CLI added to it folded. */
export function renderPrompt(message: TranscriptMessage): string {
  const { text, command, boilerplate } = splitSaid(message.text);
  const typed = command === undefined ? "" : renderPre(command, "command");
  const said = text === "" ? "" : renderMarkdownHtml(text, { breaks: true });
  const images = message.images.map(renderImage).join("");
  const others = message.blocks
    .filter(({ type }) => type === "document")
    .map(renderOther)
    .join("");
  return `<div class="prompt said">${typed}${said}${images}${others}</div>${renderBoilerplate(boilerplate)}`;
}

function renderAnswer(message: TranscriptMessage, setting: MessageSetting): string {
  const tools = new Map(message.toolUses.map((tool) => [tool.id, tool]));
  return message.blocks
    .map((block) => {
      const tool = block.type === "tool_use" ? tools.get(textField(block, "id") ?? "") : undefined;
      return tool ? renderTool(tool, setting) : renderBlock(block, message);
    })
    .join("\n");
}

function renderBlock(block: ContentBlock, { images }: TranscriptMessage): string {
  switch (block.type) {
    case "text": {
      const { text, boilerplate } = splitSaid(textField(block, "text") ?? "");
      const said = text === "" ? "" : `<div class="step said">${renderMarkdownHtml(text)}</div>`;
      return `${said}${renderBoilerplate(boilerplate)}`;
    }
    case "thinking": {
      const thought = textField(block, "thinking") ?? "";
      // Newer versions write down only a signature.
      if (thought.trim() === "") return "";
      const first = thought.trim().split("\n", 1)[0] ?? "";
      const summary = `${quiet("Thinking")} <span class="quiet clip">${escapeHtml(first.slice(0, 160))}</span>`;
      return renderFolded(summary, `<div class="said">${renderMarkdownHtml(thought)}</div>`, {
        className: "step thinking",
      });
    }
    case "image":
      return images.map(renderImage).join("");
    default:
      return renderOther(block);
  }
}

/** A block of a kind that this page knows no better way to show. */
function renderOther(block: ContentBlock): string {
  const source = block["source"];
  const isFile = block.type === "document" || (typeof source === "object" && source !== null);
  if (isFile)
    return `<p class="placeholder">${escapeHtml(`${block.type === "document" ? "Document" : block.type} (not shown)`)}</p>`;
  return renderFolded(quiet(escapeHtml(block.type)), renderPre(toJson(block)), {
    className: "step fold",
  });
}

function renderApiError({ text }: TranscriptMessage): string {
  return `<div class="step failed error"><p class="label"><span aria-hidden="true">✗</span> API error</p>${renderPre(text)}</div>`;
}

/** Results are shown with their calls; one whose call is not here, since the transcript was cut, is shown by itself. */
function renderStrayResults({ toolResults, text, images }: TranscriptMessage, { isCalled }: MessageSetting): string {
  const strays = toolResults.filter(({ toolUseId }) => !isCalled(toolUseId));
  const said = text.trim() === "" ? "" : renderSaidBesideResults(text);
  if (strays.length === 0) return said;
  const shown = strays.map((result) => `${renderPre(result.text)}${result.images.map(renderImage).join("")}`).join("");
  const summary = quiet(`Result of a call that is not here${images.length > 0 ? ", with images" : ""}`);
  return `${renderFolded(summary, shown, { className: "step fold" })}${said}`;
}

function renderSaidBesideResults(text: string): string {
  const { text: said, boilerplate } = splitSaid(text);
  return `${said === "" ? "" : `<div class="prompt said">${renderMarkdownHtml(said, { breaks: true })}</div>`}${renderBoilerplate(boilerplate)}`;
}

function renderCommandOutput(message: TranscriptMessage): string {
  const { text, boilerplate } = splitSaid(message.text);
  const shown = text === "" ? "" : `<div class="step">${renderPre(text)}</div>`;
  return `${shown}${renderBoilerplate(boilerplate)}`;
}

function quiet(html: string): string {
  return `<span class="quiet">${html}</span>`;
}
