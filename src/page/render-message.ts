import type { ContentBlock, TranscriptMessage, Subagent, ToolUse } from "../transcript/internal.ts";
import { escapeHtml, renderImage, renderBoilerplate, renderFolded, renderPre, renderDiff } from "./html-parts.ts";
import { renderMarkdownHtml } from "./render-markdown-html.ts";
import { splitSaid } from "./said.ts";
import {
  textField,
  toJson,
  todosOf,
  diffOfTool,
  type DiffLine,
  otherFields,
  outcomeOf,
  summarizeTool,
} from "./tool-parts.ts";
import { fitLine, toolTitle } from "../terminal/index.ts";

export interface MessageSetting {
  /** Where the session worked: paths below it are shortened. */
  readonly cwd: string;
  readonly renderSubagents: (toolUseId: string) => string;
  /** The calls that are shown: a result without one is shown by itself. */
  readonly isCalled: (toolUseId: string) => boolean;
}

export function renderMessage(message: TranscriptMessage, setting: MessageSetting): string {
  switch (message.kind) {
    case "answer":
      return message.isApiError
        ? `<div class="step failed error"><p class="label"><span aria-hidden="true">✗</span> API error</p>${renderPre(message.text)}</div>`
        : renderAnswer(message, setting);
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
  const documents = message.blocks.filter(({ type }) => type === "document");
  return `<div class="prompt said">${typed}${said}${images}${documents.map(renderOther).join("")}</div>${renderBoilerplate(boilerplate)}`;
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
      const said = `<div class="said">${renderMarkdownHtml(thought)}</div>`;
      return renderFolded(summary, said, { className: "step thinking" });
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
  return renderFolded(quiet(escapeHtml(block.type)), renderPre(toJson(block)), { className: "step fold" });
}

/** Results are shown with their calls; one whose call is not here, since the transcript was cut, is shown by itself. */
function renderStrayResults({ toolResults, text, images }: TranscriptMessage, { isCalled }: MessageSetting): string {
  const strays = toolResults.filter(({ toolUseId }) => !isCalled(toolUseId));
  const beside = splitSaid(text);
  const words =
    beside.text === "" ? "" : `<div class="prompt said">${renderMarkdownHtml(beside.text, { breaks: true })}</div>`;
  const said = `${words}${renderBoilerplate(beside.boilerplate)}`;
  if (strays.length === 0) return said;
  const shown = strays.map((result) => `${renderPre(result.text)}${result.images.map(renderImage).join("")}`).join("");
  const summary = quiet(`Result of a call that is not here${images.length > 0 ? ", with images" : ""}`);
  return `${renderFolded(summary, shown, { className: "step fold" })}${said}`;
}

function renderCommandOutput(message: TranscriptMessage): string {
  const { text, boilerplate } = splitSaid(message.text);
  const shown = text === "" ? "" : `<div class="step">${renderPre(text)}</div>`;
  return `${shown}${renderBoilerplate(boilerplate)}`;
}

function quiet(html: string): string {
  return `<span class="quiet">${html}</span>`;
}

/** A change of so many lines is read at once; what is longer opens when it is asked for. */
const OPEN_LINES = 40;
const OPEN_CHARACTERS = 2000;

/** A call of a tool: one line, and below it what it was given and what it gave. */
function renderTool(tool: ToolUse, { cwd, renderSubagents }: MessageSetting): string {
  const diff = diffOfTool(tool);
  const { state, mark } = outcomeOf(tool);
  const title = fitLine(toolTitle(tool.input, cwd), 160);
  const summary = [
    `<span class="mark" aria-hidden="true">${mark}</span>`,
    `<b>${escapeHtml(tool.name)}</b>`,
    title === "" ? "" : `<code>${escapeHtml(title)}</code>`,
    `<span class="quiet">${escapeHtml(summarizeTool(tool, diff))}</span>`,
  ].join(" ");
  const isShortFailure = state === "failed" && (tool.result?.text.length ?? 0) < OPEN_CHARACTERS;
  const isOpen = isShortFailure || (diff !== undefined && diff.length <= OPEN_LINES);
  const body = `${renderInput(tool, diff)}${renderResult(tool, diff !== undefined)}`;
  return `${renderFolded(summary, body, { className: `step tool ${state}`, isOpen })}${renderSubagents(tool.id)}`;
}

function startsAgent({ name }: ToolUse): boolean {
  return name === "Agent" || name === "Task";
}

/** A sub-agent by what it was asked to do. */
export function nameOfSubagent({ agentType, description, isCompaction, agentId }: Subagent): string {
  if (isCompaction) return "Sub-agent that wrote the summary";
  const what = description ?? agentId.slice(0, 12);
  return `Sub-agent${agentType === undefined ? "" : ` ${agentType}`}: ${what}`;
}

function renderInput(tool: ToolUse, diff: readonly DiffLine[] | undefined): string {
  const { name, input } = tool;
  const said = startsAgent(tool) ? textField(input, "prompt") : textField(input, "plan");
  const description = name === "Bash" ? textField(input, "description") : undefined;
  const command = name === "Bash" ? textField(input, "command") : undefined;
  const todos = todosOf(tool).map(
    ({ content, status }) =>
      `<li><span class="quiet">${escapeHtml(status.replaceAll("_", " "))}</span> ${escapeHtml(content)}</li>`,
  );
  return [
    description === undefined ? "" : `<p class="quiet">${escapeHtml(description)}</p>`,
    command === undefined ? "" : renderPre(command, "command"),
    said === undefined ? "" : `<div class="prompt said">${renderMarkdownHtml(said)}</div>`,
    todos.length === 0 ? "" : `<ul class="todos">${todos.join("")}</ul>`,
    diff === undefined ? "" : renderDiff(diff),
    renderFields(name, input),
  ].join("");
}

function renderFields(tool: string, input: unknown): string {
  const fields = otherFields(tool, input).map(({ name, value }) => {
    const shown = value.includes("\n") || value.length > 200 ? renderPre(value) : `<code>${escapeHtml(value)}</code>`;
    return `<div><dt>${escapeHtml(name)}</dt><dd>${shown}</dd></div>`;
  });
  return fields.length === 0 ? "" : `<dl class="fields">${fields.join("")}</dl>`;
}

/** What a change of a file came to is seen in the change: what the tool said of it is folded, unless it failed. */
function renderResult(tool: ToolUse, isChange: boolean): string {
  const { result } = tool;
  if (result === undefined) return `<p class="placeholder">There is no result in the transcript.</p>`;
  const { text, boilerplate } = splitSaid(result.text);
  const images = result.images.map(renderImage).join("");
  const folded = renderBoilerplate(boilerplate);
  if (text === "" && images === "") return `<p class="placeholder">No output</p>${folded}`;
  const label = result.isError ? `<p class="label"><span aria-hidden="true">✗</span> Error</p>` : "";
  const isProse = startsAgent(tool) && !result.isError;
  const printed = text === "" ? "" : renderPre(text);
  const said = isProse ? `<div class="said">${renderMarkdownHtml(text)}</div>` : printed;
  const isFolded = isChange && !result.isError;
  const shown = isFolded ? renderFolded(quiet("What the tool said"), said, { className: "fold" }) : said;
  return `${label}${shown}${images}${folded}`;
}
