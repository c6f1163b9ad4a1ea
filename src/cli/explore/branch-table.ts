import { groupBy } from "../../core/internal.ts";
import {
  dotted,
  formatDuration,
  formatElapsed,
  formatNumberOf,
  formatReward,
  formatTable,
  formatUsdColumn,
  plainLine,
  promptLine,
  treeLines,
  type Column,
  type Terminal,
} from "../../terminal/index.ts";
import { shortId } from "../states/short-id.ts";
import { fileCounts } from "../turn/file-lines.ts";
import type { BranchProgress } from "./branch-progress.ts";
import type { BranchData } from "./explore-data.ts";
import { rewardMeaning } from "./reward-meaning.ts";

export type BranchRow =
  | { readonly type: "queued"; readonly branch: PlacedBranch }
  | { readonly type: "running"; readonly branch: PlacedBranch; readonly progress: BranchProgress }
  | { readonly type: "ended"; readonly branch: BranchData; readonly isBest: boolean };

/** Where a branch stands in the tree of a search. */
type PlacedBranch = Pick<BranchData, "id" | "parent_id" | "prompt" | "attempt">;

interface TableOptions {
  readonly terminal: Terminal;
  readonly nowMs: number;
  /** What moves before a branch that runs. */
  readonly frame?: string;
  /** So many rows at most; what runs and what is best stays, and the last that ended. */
  readonly room?: number;
}

const COLUMNS: readonly Column[] = [
  { name: "" },
  { name: "Branch", narrow: "cut", leastColumns: 14 },
  { name: "Result", narrow: "cut", leastColumns: 18 },
  { name: "Reward", align: "right" },
  { name: "Cost", align: "right" },
  { name: "Files", narrow: "drop" },
  { name: "Time", align: "right", narrow: "drop" },
  { name: "State", narrow: "drop" },
];

/** The branches of a search as a table, each below the one that it went on from; what does not fit is counted below it. */
export function formatBranches(all: readonly BranchRow[], options: TableOptions): string {
  const { terminal, room = Number.POSITIVE_INFINITY } = options;
  const { dim } = terminal.colors;
  const kept = new Set(fitRows(all, room));
  const inOrder = all.toSorted((left, right) => left.branch.id - right.branch.id);
  const byParent = groupBy(inOrder, ({ branch }) => branch.parent_id);
  const below = (id: number): readonly BranchRow[] => byParent.get(id) ?? [];
  const lines = treeLines(below(0), ({ branch }) => below(branch.id)).filter(({ item }) => kept.has(item));
  const costs = formatUsdColumn(lines.map(({ item }) => costOf(item)));
  const rows = lines.map(({ branch, item }, index) => {
    const cost = isOffline(item) ? "offline" : (costs[index] ?? "");
    return rowOf(item, { ...options, branch, cost });
  });
  const hidden = all.length - kept.size;
  return `${formatTable({ columns: COLUMNS, rows }, terminal)}${hidden === 0 ? "" : `     ${dim(`… and ${hidden} more`)}\n`}`;
}

/** As many rows as there is room for: what runs and what is best stay, of the rest the last ones. */
function fitRows(rows: readonly BranchRow[], room: number): readonly BranchRow[] {
  const weight = (row: BranchRow): number =>
    row.type === "running" ? 2 : row.type === "ended" ? (row.isBest ? 2 : 1) : 0;
  return rows
    .toSorted((left, right) => weight(right) - weight(left) || right.branch.id - left.branch.id)
    .slice(0, Math.max(room, 1));
}

function costOf(row: BranchRow): number | undefined {
  if (row.type === "queued") return undefined;
  if (isOffline(row)) return undefined;
  if (row.type === "running") return row.progress.costUsd === 0 ? undefined : row.progress.costUsd;
  return row.branch.cost_usd;
}

function isOffline(row: BranchRow): boolean {
  if (row.type === "running") return row.progress.scenario !== undefined;
  return row.type === "ended" && row.branch.offline;
}

type RowOptions = TableOptions & { readonly branch: string; readonly cost: string };

function rowOf(row: BranchRow, { terminal, nowMs, frame = "…", branch: drawn, cost }: RowOptions): readonly string[] {
  const { bold, cyan, dim } = terminal.colors;
  const { prompt, attempt } = row.branch;
  const name = `${promptLine(prompt)}${attempt === 1 ? "" : ` (${attempt})`}`;
  if (row.type === "queued") return ["", dim(`${drawn}${name}`), dim("queued"), "", "", "", "", ""];
  if (row.type === "running") {
    const { doing, denials, retries, sinceMs } = row.progress;
    const doingNow = dotted([plainLine(doing), deniedText(denials), retriedText(retries)]);
    return [cyan(frame), `${dim(drawn)}${name}`, doingNow, "", dim(cost), "", dim(formatElapsed(nowMs - sinceMs)), ""];
  }
  const { branch, isBest } = row;
  return [
    markOf(row, terminal),
    `${dim(drawn)}${isBest ? bold(name) : name}`,
    resultOf(branch, terminal),
    branch.reward ? formatReward(branch.reward.value) : "",
    dim(cost),
    fileCounts(countsOf(branch.files), terminal),
    dim(branch.is_reused ? "known" : formatDuration(branch.duration_ms)),
    branch.state_id === null ? "" : terminal.colors.yellow(shortId(branch.state_id)),
  ];
}

function markOf({ branch, isBest }: BranchRow & { readonly type: "ended" }, { colors }: Terminal): string {
  if (isBest) return colors.green("★");
  return branch.outcome === "completed" ? "" : colors.red("✗");
}

/** What came of a branch, in words: what its reward says, why it failed, what it was denied, how often it was tried. */
function resultOf(branch: BranchData, { colors }: Terminal): string {
  const { error, outcome, reward, denials, retries } = branch;
  const said = reward ? rewardMeaning(reward) : "";
  const failed =
    outcome === "completed"
      ? ""
      : colors.red(error && outcome !== "cancelled" ? `${error.kind}: ${plainLine(error.message)}` : outcome);
  return (
    dotted([failed, said, deniedText(denials) && colors.yellow(deniedText(denials)), retriedText(retries)]) ||
    "completed"
  );
}

function deniedText(denials: number): string {
  return denials === 0 ? "" : `${formatNumberOf(denials, "call")} denied`;
}

function retriedText(retries: number): string {
  return retries === 0 ? "" : `attempt ${retries + 1}`;
}

function countsOf({ created, modified, deleted }: BranchData["files"]): Parameters<typeof fileCounts>[0] {
  return { created: created.length, modified: modified.length, deleted: deleted.length };
}
