import type { Subagent, ToolUse } from "../../transcript/index.ts";
import { fitLine } from "../plain-text.ts";
import { toolTitle } from "../turn/tool-line.ts";
import { escapeHtml } from "./escape-html.ts";
import { renderMarkdownHtml } from "./markdown/render-markdown-html.ts";
import { renderImage } from "./render-image.ts";
import { renderBoilerplate, renderDiff, renderFolded, renderPre } from "./render-parts.ts";
import { splitSaid } from "./said.ts";
import { todosOf } from "./todo-list.ts";
import { diffOfTool, type DiffLine } from "./tool-diff.ts";
import { otherFields, textField } from "./tool-fields.ts";
import { outcomeOf, summarizeTool } from "./tool-summary.ts";

/** A change of so many lines is read at once; what is longer opens when it is asked for. */
const OPEN_LINES = 40;
/** The same for what a failed call said. */
const OPEN_CHARACTERS = 2000;

/** What a call is shown with. */
export interface ToolSetting {
  /** Where the session worked: paths below it are shortened. */
  readonly cwd: string;
  /** Shows the sub-agents that a call started. */
  readonly renderSubagents: (toolUseId: string) => string;
}

/** A call of a tool: one line, and below it what it was given and what it gave. */
export function renderTool(tool: ToolUse, { cwd, renderSubagents }: ToolSetting): string {
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

/** Whether a call is one of those that start a sub-agent. */
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
  const shown =
    startsAgent(tool) && !result.isError
      ? `<div class="said">${renderMarkdownHtml(text)}</div>`
      : text === ""
        ? ""
        : renderPre(text);
  const isFolded = isChange && !result.isError;
  return `${label}${isFolded ? renderFolded(`<span class="quiet">What the tool said</span>`, shown, { className: "fold" }) : shown}${images}${folded}`;
}
