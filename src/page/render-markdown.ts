import type { Subagent, ToolUse, TranscriptMessage } from "../transcript/internal.ts";
import { formatDuration, markdownLine, plainLine, plainText, toolTitle } from "../terminal/index.ts";
import { costText, nameOf, toUsageData } from "./session-data.ts";
import { describeImage } from "./html-parts.ts";
import { nameOfSubagent } from "./render-message.ts";
import { shownText, splitSaid } from "./said.ts";
import { factsOf, labelOf, momentOf, type PageTurn, type SessionPage } from "./session-page.ts";
import { diffOfTool, longCommand, patchLine, otherFields, outcomeOf, saidTo } from "./tool-parts.ts";

/** The session as Markdown, whole: thinking, inputs and results too. */
export function renderMarkdown(page: SessionPage): string {
  const title = `# ${markdownLine(nameOf(page.head).split("\n", 1)[0] ?? "")}`;
  const flat = { ...page, subagents: new Map<string, readonly Subagent[]>() };
  const blocks = [
    title,
    markdownLine(factsOf(page.head)),
    ...page.turns.flatMap((turn) => turnBlocks(turn, page)),
    ...page.strays.flatMap((subagent) => subagentBlocks(subagent, flat)),
  ];
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

function turnBlocks(turn: PageTurn, page: SessionPage): readonly string[] {
  const name = turn.prompt ? `Turn ${turn.number}` : "Before the first prompt";
  const mark = turn.mark === undefined ? "" : ` · ${turn.mark}: not part of the current conversation`;
  const messages = [...(turn.prompt ? [turn.prompt] : []), ...turn.messages];
  return [
    `## ${name} · ${costText(toUsageData(turn.usage))}${mark}`,
    ...messages.flatMap((message) => messageBlocks(message, page)),
  ];
}

function messageBlocks(message: TranscriptMessage, page: SessionPage): readonly string[] {
  if (message.kind === "tool-result" && message.text.trim() === "") return [];
  const { boilerplate } = splitSaid(message.text);
  const error = message.isApiError ? " — API error" : "";
  return [
    `### ${markdownLine(labelOf(message))}${error} ${momentOf(message.timestamp)}`.trimEnd(),
    message.thinking.trim() === "" ? "" : quoted(`*Thinking*\n\n${plainText(message.thinking.trim())}`),
    plainText(shownText(message.text)),
    ...boilerplate.map(({ tag, text }) => `*${markdownLine(tag)}*\n\n${fenced(plainText(text))}`),
    ...message.images.map((image) => `*${markdownLine(describeImage(image))}*`),
    ...message.toolUses.flatMap((tool) => toolBlocks(tool, page)),
  ];
}

function toolBlocks(tool: ToolUse, page: SessionPage): readonly string[] {
  const diff = diffOfTool(tool);
  const { word } = outcomeOf(tool);
  const duration = tool.durationMs === undefined ? "" : ` ${formatDuration(tool.durationMs)}`;
  const what = toolTitle(tool.input, page.head.project ?? "/");
  const title = `**${markdownLine(tool.name)}** ${inlineCode(what)}${duration}${word === "" ? "" : ` — ${word}`}`;
  const command = longCommand(tool);
  const said = saidTo(tool);
  const fields = otherFields(tool.name, tool.input).filter(({ value }) => plainLine(value) !== what);
  return [
    title,
    command === "" ? "" : fenced(plainText(command), "sh"),
    said === undefined ? "" : quoted(plainText(said)),
    diff === undefined ? "" : fenced(diff.map((line) => plainText(patchLine(line))).join("\n"), "diff"),
    fields.length === 0 ? "" : fenced(fields.map(({ name, value }) => plainText(`${name}: ${value}`)).join("\n")),
    tool.result === undefined || tool.result.text.trim() === "" ? "" : fenced(plainText(tool.result.text)),
    ...(tool.result?.images ?? []).map((image) => `*${markdownLine(describeImage(image))}*`),
    ...(page.subagents.get(tool.id) ?? []).flatMap((subagent) => subagentBlocks(subagent, page)),
  ];
}

/** What a sub-agent did stands in a quote, so that it is told from the conversation. */
function subagentBlocks(subagent: Subagent, page: SessionPage): readonly string[] {
  const cost = costText(toUsageData(page.usageOf(subagent)));
  const inner = subagent.messages.flatMap((message) => messageBlocks(message, page)).filter((block) => block !== "");
  return [quoted([`**${markdownLine(nameOfSubagent(subagent))}** · ${cost}`, ...inner].join("\n\n"))];
}

function quoted(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
}

/** A fence that is longer than any in the text, so that nothing ends it early. */
function fenced(text: string, language = ""): string {
  const fence = "`".repeat(Math.max(2, longestTicks(text)) + 1);
  return `${fence}${language}\n${text.trimEnd()}\n${fence}`;
}

function inlineCode(text: string): string {
  if (text === "") return "";
  const longest = longestTicks(text);
  const ticks = "`".repeat(longest + 1);
  return longest === 0 ? `${ticks}${text}${ticks}` : `${ticks} ${text} ${ticks}`;
}

function longestTicks(text: string): number {
  return (text.match(/`+/gu) ?? []).reduce((longest, { length }) => Math.max(longest, length), 0);
}
