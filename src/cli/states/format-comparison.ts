import { ownValue } from "../../core/index.ts";
import type { CommandContext } from "../command-context.ts";
import type { CompareData, ComparedSide } from "./compare-data.ts";
import { fileCounts, fileLines } from "../turn/file-lines.ts";
import { formatCount, formatDuration, formatReward, formatUsd } from "../format-amounts.ts";
import { fitLine, plainLine, widthOf } from "../plain-text.ts";
import { shortId } from "./short-id.ts";
import { KIND_WORDS, stateMark, stateNames } from "./state-marks.ts";
import type { Terminal } from "../terminal.ts";

const GAP = "  ";

/** A name, what the left side has, and what the right side has. */
type Row = readonly [name: string, left: string, right: string];

/** Two states side by side, for people. */
export function formatComparison(data: CompareData, { terminal }: CommandContext): string {
  const { left, right, common } = data;
  const { dim, yellow } = terminal.colors;
  const rows = [...headRows(left, right, terminal), ...amountRows(left, right, terminal)];
  const since =
    common === null ? "They have no state in common." : `Since ${yellow(shortId(common))}, which both came from.`;
  const differing = fileLines(data.files, terminal);
  const files =
    differing.length === 0
      ? ["The files are the same."]
      : ["From left to right:", ...differing.map((line) => `  ${line}`)];
  return `${inColumns(rows, terminal)}\n${GAP}${dim(since)}\n\n${files.map((line) => `${GAP}${line}\n`).join("")}`;
}

function headRows(left: ComparedSide, right: ComparedSide, terminal: Terminal): readonly Row[] {
  const { yellow } = terminal.colors;
  const id = ({ state }: ComparedSide): string => {
    const names = stateNames(state, terminal);
    const mark = stateMark({ kind: state.kind, outcome: state.turn?.outcome }, terminal);
    return `${mark} ${yellow(shortId(state.state_id))}${names === "" ? "" : ` ${names}`}`;
  };
  const prompt = ({ state }: ComparedSide): string =>
    state.turn ? plainLine(state.turn.prompt) : KIND_WORDS[state.kind];
  return [
    ["", id(left), id(right)],
    ["Prompt", prompt(left), prompt(right)],
  ];
}

function amountRows(left: ComparedSide, right: ComparedSide, terminal: Terminal): readonly Row[] {
  const both = (name: string, of: (side: ComparedSide) => string): Row => [name, of(left), of(right)];
  const rewards = [...new Set([left, right].flatMap(({ state }) => Object.keys(state.rewards)))].toSorted(rewardFirst);
  return [
    ...rewards.map((name) => rewardRow(name, left, right, terminal)),
    both("Cost", ({ cost_usd: usd }) => formatUsd(usd)),
    both("Time", ({ duration_ms: ms }) => formatDuration(ms)),
    both("Turns", ({ turns }) => String(turns)),
    both("Tokens", ({ tokens }) => formatCount(tokens)),
    both("Tools", (side) => side.tools.map(toolCount).join(" ") || "none"),
    both("Files", ({ files }) => {
      const { created, modified, deleted } = files;
      const counts = { created: created.length, modified: modified.length, deleted: deleted.length };
      return fileCounts(counts, terminal) || "unchanged";
    }),
    both("Lines", (side) => `+${side.lines_added} -${side.lines_removed}`),
  ];
}

/** The better one is green. */
function rewardRow(name: string, left: ComparedSide, right: ComparedSide, { colors }: Terminal): Row {
  const [first, second] = [ownValue(left.state.rewards, name), ownValue(right.state.rewards, name)];
  const shown = (value: number | undefined, other: number | undefined): string => {
    if (value === undefined) return colors.dim("none");
    return other !== undefined && value > other ? colors.green(formatReward(value)) : formatReward(value);
  };
  const title = name === "reward" ? "Reward" : plainLine(name);
  return [title, shown(first, second), shown(second, first)];
}

/** The whole stands before its parts. */
function rewardFirst(left: string, right: string): number {
  if (left === right) return 0;
  return left === "reward" ? -1 : right === "reward" ? 1 : left < right ? -1 : 1;
}

function toolCount({ tool, calls, errors }: ComparedSide["tools"][number]): string {
  const times = calls === 1 ? "" : `×${calls}`;
  return `${plainLine(tool)}${times}${errors === 0 ? "" : ` (${errors} failed)`}`;
}

function inColumns(rows: readonly Row[], { columns, colors }: Terminal): string {
  const nameWidth = Math.max(...rows.map(([name]) => widthOf(name)));
  const room = Math.max(Math.floor((columns - nameWidth - 3 * GAP.length - 1) / 2), 20);
  const fit = (cell: string): string => (widthOf(cell) > room ? fitLine(plainLine(cell), room) : cell);
  const leftWidth = Math.max(...rows.map(([, left]) => widthOf(fit(left))));
  const pad = (text: string, width: number): string => `${text}${" ".repeat(width - widthOf(text))}`;
  return rows
    .map(([name, left, right]) => {
      const line = [colors.dim(pad(name, nameWidth)), pad(fit(left), leftWidth), fit(right)].join(GAP);
      return `${GAP}${line}`.trimEnd();
    })
    .map((line) => `${line}\n`)
    .join("");
}
