import { groupBy } from "../../core/internal.ts";
import {
  formatDuration,
  formatElapsed,
  formatNumberOf,
  formatReward,
  formatUsd,
  fitLine,
  plainLine,
  promptLine,
  widthOf,
  type Terminal,
  formatCard,
} from "../../terminal/index.ts";
import { shortId } from "../states/short-id.ts";
import { stateMark } from "../states/state-lines.ts";
import { fileCounts } from "../turn/files-data.ts";
import { costLine } from "../turn/turn-summary.ts";
import type { BranchData, ExploreData } from "./explore-data.ts";
import type { CommandContext } from "../define-command.ts";
import { formatArrival } from "../states/restore-here.ts";

export type BranchRow =
  | { readonly type: "running"; readonly branch: BranchPlace; readonly elapsedMs: number }
  | { readonly type: "ended"; readonly branch: BranchData; readonly isBest: boolean };

/** Where a branch stands in the tree of a search. */
export type BranchPlace = Pick<BranchData, "id" | "parent_id" | "depth" | "prompt" | "attempt">;

export interface BranchLineOptions {
  readonly terminal: Terminal;
  /** What moves before a branch that runs. */
  readonly frame?: string;
  /** What the prompts need; the columns of all lines stand below each other. */
  readonly promptWidth: number;
}

const GAP = "  ";
const WIDTHS = { state: 12, reward: 6, cost: 7, files: 9, time: 8 } as const;
/** Narrower terminals have no room for the time. */
const ROOM_FOR_TIME = 100;
const LEAST_PROMPT = 12;

export function branchHeading(options: BranchLineOptions): string {
  const { colors } = options.terminal;
  const cells = { state: "State", reward: "Reward", cost: "Cost", files: "Files", time: "Time" };
  return `${colors.dim(inColumns("", "Prompt", cells, options))}\n`;
}

/** The line of a branch, and below it what it was denied and why it failed. */
export function branchLine(row: BranchRow, options: BranchLineOptions): string {
  const { terminal, frame = "…" } = options;
  const { bold, cyan, dim, green, yellow, red } = terminal.colors;
  const prompt = promptOf(row.branch);
  if (row.type === "running") {
    const cells = { state: dim(formatElapsed(row.elapsedMs)), reward: "", cost: "", files: "", time: "" };
    return `${inColumns(cyan(frame), prompt, cells, options)}\n`;
  }
  const { branch, isBest } = row;
  const { files } = branch;
  const value = branch.reward ? formatReward(branch.reward.value) : "";
  const counts = { created: files.created.length, modified: files.modified.length, deleted: files.deleted.length };
  const cells = {
    state: branch.state_id === null ? "" : yellow(shortId(branch.state_id)),
    reward: isBest ? green(`★ ${value}`) : value,
    cost: dim(branch.offline ? "offline" : `$${branch.cost_usd.toFixed(4)}`),
    files: fileCounts(counts, terminal),
    time: dim(branch.is_reused ? "known" : formatDuration(branch.duration_ms)),
  };
  const mark = stateMark({ kind: "turn", outcome: branch.outcome }, terminal);
  const line = `${inColumns(mark, prompt, cells, options, isBest ? bold : undefined)}\n`;
  const indent = `    ${indentOf(branch)}`;
  const below = (text: string, paint: (text: string) => string): string =>
    `${indent}${paint(fitLine(plainLine(text), terminal.columns - indent.length - 2))}\n`;
  const denied = branch.denials > 0 ? below(`${formatNumberOf(branch.denials, "call")} denied`, yellow) : "";
  const { error } = branch;
  const failed = error && branch.outcome !== "cancelled" ? below(`${error.kind}: ${error.message}`, red) : "";
  return `${line}${denied}${failed}`;
}

/** Puts branches in the order of the tree: each below the one that it went on from. */
export function treeOrder<Row extends { readonly branch: BranchPlace }>(rows: readonly Row[]): readonly Row[] {
  const inOrder = rows.toSorted((left, right) => left.branch.id - right.branch.id);
  const byParent = groupBy(inOrder, ({ branch }) => branch.parent_id);
  const below = (id: number): readonly Row[] =>
    (byParent.get(id) ?? []).flatMap((row) => [row, ...below(row.branch.id)]);
  return below(0);
}

export function promptWidthOf(branch: BranchPlace): number {
  return widthOf(promptOf(branch));
}

/** A prompt is set in by its depth; a repeated one has its number. */
function promptOf({ prompt, depth, attempt }: BranchPlace): string {
  return `${indentOf({ depth })}${promptLine(prompt)}${attempt === 1 ? "" : ` (${attempt})`}`;
}

function indentOf({ depth }: Pick<BranchPlace, "depth">): string {
  return "  ".repeat(Math.max(depth - 1, 0));
}

type Cells = Readonly<Record<keyof typeof WIDTHS, string>>;

function inColumns(
  mark: string,
  prompt: string,
  cells: Cells,
  { terminal: { columns }, promptWidth }: BranchLineOptions,
  paint: (text: string) => string = (text) => text,
): string {
  const shown = (Object.keys(WIDTHS) as (keyof typeof WIDTHS)[]).filter(
    (name) => name !== "time" || columns >= ROOM_FOR_TIME,
  );
  const taken = shown.reduce((sum, name) => sum + WIDTHS[name] + GAP.length, 0);
  const room = Math.max(Math.min(promptWidth, columns - 5 - taken), LEAST_PROMPT);
  const fitted = fitLine(prompt, room);
  const last = shown.map((name) => alignCell(name, cells[name]));
  const first = `${GAP}${mark || " "} ${paint(fitted)}${" ".repeat(Math.max(room - widthOf(fitted), 0))}`;
  return [first, ...last].join(GAP).trimEnd();
}

/** Numbers stand to the right, so that they can be compared. */
function alignCell(name: keyof typeof WIDTHS, cell: string): string {
  const space = " ".repeat(Math.max(WIDTHS[name] - widthOf(cell), 0));
  return name === "state" || name === "files" ? `${cell}${space}` : `${space}${cell}`;
}

const ENDINGS: Readonly<Record<ExploreData["stopped"], string>> = {
  exhausted: "everything was tried",
  solved: "the goal was reached",
  threshold: "a reward was high enough",
  budget: "the budget is spent",
  cancelled: "it was interrupted; run the same command to continue",
};

/** What a search came to, for people: the best branch, why it ended, what it cost, and what to do next. */
export function exploreSummary(data: ExploreData, context: CommandContext, isOffline: boolean): string {
  const { terminal } = context;
  const { bold, cyan } = terminal.colors;
  const best = data.branches.find(({ id }) => id === data.best);
  const value = best?.reward ? `  reward ${formatReward(best.reward.value)}` : "";
  const prompt = best ? fitLine(plainLine(best.prompt), Math.max(terminal.columns - 40, 16)) : "";
  const rows = formatCard(
    [
      ["Best", ...(best ? [`${bold(prompt)}${value}`] : [])],
      ["Ended", ENDINGS[data.stopped]],
      ["Branches", branchCounts(data)],
      ["Cost", costLine(data.cost_usd, isOffline || data.offline)],
      ["Next", ...nextSteps(data).map((step) => cyan(step))],
    ],
    terminal,
  );
  const adopted = data.adopted ? `\n${formatArrival(data.adopted, context, "Adopted")}` : "";
  return `\n${rows}${adopted}`;
}

function branchCounts({ branches, expansions, reused_cost_usd: reusedUsd }: ExploreData): string {
  const known = branches.length - expansions;
  const before = known === 0 ? "" : ` · ${known} known from before (${formatUsd(reusedUsd)}; --fresh runs them again)`;
  return `${expansions} run${before}`;
}

function nextSteps({ branches, best, adopted }: ExploreData): string[] {
  if (adopted) return ['skein run "…" --continue'];
  const reached = branches.flatMap(({ id, state_id: state }) => (state === null ? [] : [{ id, state }]));
  const first = reached.find(({ id }) => id === best) ?? reached[0];
  const other = reached.find(({ id }) => id !== first?.id);
  return [
    ...(first ? [`skein adopt ${shortId(first.state)}`] : []),
    ...(first && other ? [`skein compare ${shortId(first.state)} ${shortId(other.state)}`] : []),
  ];
}
