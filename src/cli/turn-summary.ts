import { formatCount, formatDuration, formatNumberOf, formatUsd } from "./format-amounts.ts";
import { fitLine, plainLine } from "./plain-text.ts";
import type { Terminal } from "./terminal.ts";
import { toolTitle } from "./tool-title.ts";
import type { TurnData } from "./turn-data.ts";

/** Paths of each kind that are listed by name. */
const LISTED_PATHS = 12;

/** What the summary has to know beside the turn. */
export interface SummaryOptions {
  readonly terminal: Terminal;
  readonly cwd: string;
  /** The embedded model costs nothing; the CLI counts all the same. */
  readonly isOffline: boolean;
}

/** What a turn did and cost, for people: files, tools, denials, tokens, money, time, session. */
export function turnSummary(data: TurnData, { terminal, cwd, isOffline }: SummaryOptions): string {
  const { colors } = terminal;
  const rows: (readonly [name: string, ...lines: string[]])[] = [
    ["Files", ...fileLines(data.files, terminal)],
    ["Tools", data.tools.map(toolCount).join(" · ") || "none"],
    ...deniedRows(data, terminal, cwd),
    ["Tokens", tokens(data.usage)],
    ["Cost", isOffline ? `nothing: offline (${formatUsd(data.cost_usd)} by price list)` : formatUsd(data.cost_usd)],
    ["Time", `${formatDuration(data.duration_ms)} · ${formatNumberOf(data.turns, "response")}`],
    ["Session", data.session_id || "none"],
  ];
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  const lines = rows.flatMap(([name, ...values]) =>
    values.map((value, index) => `  ${colors.dim((index === 0 ? name : "").padEnd(width))}${value}`),
  );
  return `\n${lines.join("\n")}\n`;
}

function fileLines(files: TurnData["files"], { colors }: Terminal): string[] {
  if (!files.complete) return ["not compared: too many in this directory"];
  const lines = [
    ...pathLines(colors.green("+"), files.created),
    ...pathLines(colors.yellow("~"), files.modified),
    ...pathLines(colors.red("-"), files.deleted),
  ];
  return lines.length === 0 ? ["unchanged"] : lines;
}

function pathLines(mark: string, paths: readonly string[]): string[] {
  const listed = paths.slice(0, LISTED_PATHS).map((path) => `${mark} ${plainLine(path)}`);
  const others = paths.length - listed.length;
  return others > 0 ? [...listed, `${mark} ${formatNumberOf(others, "more file")}`] : listed;
}

function toolCount({ tool, calls, errors }: TurnData["tools"][number]): string {
  const times = calls === 1 ? "" : ` ×${calls}`;
  return `${plainLine(tool)}${times}${errors === 0 ? "" : ` (${errors} failed)`}`;
}

function deniedRows(data: TurnData, { colors, columns }: Terminal, cwd: string): [string, ...string[]][] {
  const lines = data.permission_denials.map(({ tool, input }) =>
    fitLine(`${plainLine(tool)} ${toolTitle(input, cwd)}`.trim(), Math.max(columns - 14, 20)),
  );
  return lines.length === 0 ? [] : [["Denied", ...lines.map((line) => colors.yellow(line))]];
}

function tokens(usage: TurnData["usage"]): string {
  const read = usage.cache_read_tokens + usage.cache_write_tokens + usage.input_tokens;
  return `${formatCount(read)} in (${formatCount(usage.cache_read_tokens)} cached) · ${formatCount(usage.output_tokens)} out`;
}
