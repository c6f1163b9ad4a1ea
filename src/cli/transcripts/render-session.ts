import { ownValue } from "../../core/index.ts";
import type { CommandContext } from "../command-context.ts";
import { formatDuration } from "../format-amounts.ts";
import { formatMoment } from "../format-time.ts";
import { markdownLine, plainLine, plainText } from "../plain-text.ts";
import { toolTitle } from "../turn/tool-title.ts";
import { wrapText } from "../wrap-text.ts";
import { nameOf, type IndexedSessionData } from "./indexed-session-data.ts";
import type { MessageData } from "./message-data.ts";
import { shownText } from "./shown-text.ts";
import { costText, tokensText } from "./usage-data.ts";

/** A session and those of its messages that are shown. */
export interface ShownSession {
  readonly session: IndexedSessionData;
  readonly messages: readonly MessageData[];
}

type Tool = MessageData["tools"][number];

/** The session for a terminal. */
export function renderText({ session, messages }: ShownSession, { terminal }: CommandContext): string {
  const { bold, cyan, dim, green, red } = terminal.colors;
  const columns = Math.min(100, terminal.columns);
  const cwd = session.project ?? "/";
  const blocks = messages.map((message) => {
    const who = message.role === "user" ? cyan(plainLine(labelOf(message))) : green(plainLine(labelOf(message)));
    const lines = wrapText(plainText(shownText(message.text)), columns - 2).map((line) => `  ${line}`);
    const tools = message.tools.map((tool) => {
      const mark = tool.result === null ? dim("…") : tool.is_error ? red("✗") : green("✓");
      return `  ${mark} ${bold(plainLine(tool.tool))} ${plainLine(toolTitle(tool.input, cwd))}${dim(durationOf(tool))}`;
    });
    return `${who} ${dim(timeOf(message))}\n${[...lines.filter((line) => line.trim() !== "" || lines.length > 1), ...tools].join("\n")}\n`;
  });
  return `${bold(plainLine(nameOf(session)))}\n${dim(plainLine(factsOf(session)))}\n\n${blocks.join("\n")}`;
}

/** The session as Markdown. */
export function renderMarkdown({ session, messages }: ShownSession): string {
  const cwd = session.project ?? "/";
  const blocks = messages.map((message) => {
    const tools = message.tools.map((tool) => {
      const title = `**${markdownLine(tool.tool)}** ${inlineCode(toolTitle(tool.input, cwd))}${durationOf(tool)}${tool.is_error ? " — failed" : ""}`;
      return `${title}\n\n${fenced(plainText(tool.result ?? "(no result)"))}`;
    });
    return [
      `## ${markdownLine(labelOf(message))} ${timeOf(message)}`.trimEnd(),
      plainText(shownText(message.text)),
      ...tools,
    ]
      .filter((part) => part !== "")
      .join("\n\n");
  });
  return `# ${markdownLine(nameOf(session).split("\n", 1)[0] ?? "")}\n\n${markdownLine(factsOf(session))}\n\n${blocks.join("\n\n")}\n`;
}

/** Who speaks. */
export function labelOf({ role, kind, model }: MessageData): string {
  // What the CLI itself says in the model's name is marked so.
  if (role === "assistant") return model === "<synthetic>" ? "Claude Code" : (model ?? "Claude");
  return ownValue(LABELS, kind) ?? "User";
}

const LABELS: Readonly<Record<string, string>> = {
  meta: "Claude Code",
  "tool-result": "Tool",
  "command-output": "Command",
  interrupt: "Interrupted",
  "compact-summary": "Summary of what came before",
};

/** What there is to know of a session, in one line. */
export function factsOf(session: IndexedSessionData): string {
  return [
    session.project ?? "",
    session.started_at === null ? "" : formatMoment(Date.parse(session.started_at)),
    session.models.join(", "),
    `${tokensText(session.usage)} tokens`,
    costText(session.usage),
    session.session_id,
  ]
    .filter((fact) => fact !== "")
    .join(" · ");
}

/** When it was said, by the clock on the wall. */
export function timeOf({ at }: MessageData): string {
  return at === null || Number.isNaN(Date.parse(at)) ? "" : formatMoment(Date.parse(at));
}

/** How long a call took, where that is known. */
export function durationOf({ duration_ms: durationMs }: Tool): string {
  return durationMs === null ? "" : ` ${formatDuration(durationMs)}`;
}

/** A fence that is longer than any in the text, so that nothing ends it early. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text.trimEnd()}\n${fence}`;
}

function inlineCode(text: string): string {
  if (text === "") return "";
  const longest = Math.max(0, ...[...text.matchAll(/`+/gu)].map(([ticks]) => ticks.length));
  const ticks = "`".repeat(longest + 1);
  return longest === 0 ? `${ticks}${text}${ticks}` : `${ticks} ${text} ${ticks}`;
}
