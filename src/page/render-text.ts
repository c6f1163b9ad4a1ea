import type { Subagent, ToolUse, TranscriptMessage } from "../transcript/internal.ts";
import { dotted, plainLine, plainText, wrapText, toolTitle, type Terminal } from "../terminal/index.ts";
import { costText, nameOf, toUsageData } from "./session-data.ts";
import { describeImage } from "./html-parts.ts";
import { nameOfSubagent } from "./render-message.ts";
import { shownText, splitSaid } from "./said.ts";
import { factsOf, labelOf, momentOf, type PageTurn, type SessionPage } from "./session-page.ts";
import { diffOfTool, longCommand, patchLine, otherFields, outcomeOf, saidTo, summarizeTool } from "./tool-parts.ts";

/** The session for a terminal, whole: thinking, inputs and results too. */
export function renderText(page: SessionPage, { terminal }: { readonly terminal: Terminal }): string {
  const { bold, dim } = terminal.colors;
  const setting: Setting = {
    page,
    terminal,
    columns: terminal.isLive ? Math.min(100, terminal.columns) : terminal.columns,
  };
  const facts = wrapText(plainLine(factsOf(page.head)), terminal.columns).map((line) => `${dim(line)}\n`);
  const head = `${bold(plainLine(nameOf(page.head)))}\n${facts.join("")}`;
  const strays = page.strays.flatMap((subagent) =>
    // A ring of sub-agents that started each other has no end.
    subagentLines(subagent, { ...setting, page: { ...page, subagents: new Map() } }),
  );
  const rest = strays.length === 0 ? "" : `\n${strays.join("\n")}\n`;
  return `${head}\n${page.turns.map((turn) => turnLines(turn, setting).join("\n")).join("\n\n")}\n${rest}`;
}

interface Setting {
  readonly page: SessionPage;
  readonly terminal: Terminal;
  readonly columns: number;
}

function turnLines(turn: PageTurn, setting: Setting): readonly string[] {
  const { dim, yellow } = setting.terminal.colors;
  const { mark } = turn;
  const facts = dotted([
    `Turn ${turn.number}`,
    costText(toUsageData(turn.usage)),
    mark !== undefined && `${mark}: not part of the current conversation`,
  ]);
  const messages = [...(turn.prompt ? [turn.prompt] : []), ...turn.messages];
  const title = (mark === undefined ? dim : yellow)(facts);
  return [`── ${title}`, ...messages.flatMap((message) => messageLines(message, setting))];
}

function messageLines(message: TranscriptMessage, setting: Setting): readonly string[] {
  if (message.kind === "tool-result" && message.text.trim() === "") return [];
  const { cyan, dim, green, red } = setting.terminal.colors;
  const label = plainLine(labelOf(message));
  const who = message.isApiError ? red(`${label} (API error)`) : message.role === "user" ? cyan(label) : green(label);
  const thinking =
    message.thinking.trim() === ""
      ? []
      : [dim("  Thinking"), ...indent(message.thinking.trim(), setting, "  │ ").map(dim)];
  const text = shownText(message.text);
  return [
    `${who} ${dim(momentOf(message.timestamp))}`.trimEnd(),
    ...thinking,
    ...(text === "" ? [] : indent(text, setting, "  ")),
    ...splitSaid(message.text).boilerplate.flatMap((added) => whole(`${added.tag}: ${added.text}`, "  ┊ ").map(dim)),
    ...message.images.map((image) => `  ${dim(`[${plainLine(describeImage(image))}]`)}`),
    ...message.toolUses.flatMap((tool) => toolLines(tool, setting)),
    "",
  ];
}

function toolLines(tool: ToolUse, setting: Setting): readonly string[] {
  const { bold, dim, green, red } = setting.terminal.colors;
  const diff = diffOfTool(tool);
  const { state, mark } = outcomeOf(tool);
  const color = state === "done" ? green : state === "failed" ? red : dim;
  const title = `  ${color(mark)} ${bold(plainLine(tool.name))} ${plainLine(toolTitle(tool.input, setting.page.head.project ?? "/"))}`;
  const said = saidTo(tool);
  const fields = otherFields(tool.name, tool.input).flatMap(({ name, value }) => whole(`${name}: ${value}`, "    "));
  return [
    `${title.trimEnd()} ${dim(summarizeTool(tool, diff))}`.trimEnd(),
    ...whole(longCommand(tool), "    $ "),
    ...(said === undefined ? [] : indent(said, setting, "    ")),
    ...(diff ?? []).map((line) => `    ${plainText(patchLine(line))}`),
    ...fields.map(dim),
    ...whole(tool.result?.text ?? "", "    │ "),
    ...(tool.result?.images ?? []).map((image) => `    ${dim(`[${plainLine(describeImage(image))}]`)}`),
    ...(setting.page.subagents.get(tool.id) ?? []).flatMap((subagent) => subagentLines(subagent, setting)),
  ];
}

function subagentLines(subagent: Subagent, setting: Setting): readonly string[] {
  const { bold, dim } = setting.terminal.colors;
  const cost = costText(toUsageData(setting.page.usageOf(subagent)));
  const inner = subagent.messages.flatMap((message) =>
    messageLines(message, { ...setting, columns: setting.columns - 4 }),
  );
  return [
    `    ⤷ ${bold(plainLine(nameOfSubagent(subagent)))} ${dim(cost)}`,
    ...inner.map((line) => `    ${line}`.trimEnd()),
  ];
}

function indent(text: string, { columns }: Setting, margin: string): readonly string[] {
  return wrapText(plainText(text), Math.max(20, columns - margin.length)).map((line) => `${margin}${line}`.trimEnd());
}

/** What a program printed, line for line as it did. */
function whole(text: string, margin: string): readonly string[] {
  const trimmed = plainText(text).trimEnd();
  return trimmed === "" ? [] : trimmed.split("\n").map((line) => `${margin}${line}`.trimEnd());
}
