import { systemClock } from "../../core/internal.ts";
import type { BranchPlace, Search, SearchEvent, SearchResult } from "../../search/internal.ts";
import { dotted, formatElapsed, formatNumberOf, formatReward, plainLine, promptLine } from "../../terminal/index.ts";
import type { State, Transition } from "../../trace/internal.ts";
import type { CommandContext } from "../define-command.ts";
import { createLiveBlock } from "../live-block.ts";
import { shortId } from "../states/short-id.ts";
import type { SearchProgress } from "./branch-progress.ts";
import { formatBranches, type BranchRow } from "./branch-table.ts";
import { toBranchData, toCost, toEventData, type BranchData } from "./explore-data.ts";
import { paidSum } from "../turn/paid-cost.ts";
import { isRefused, rewardMeaning } from "./reward-meaning.ts";

interface WatchOptions {
  readonly strategy: string;
  readonly progress: SearchProgress;
  readonly context: CommandContext;
}

/** Runs a search to its end: shows and emits what happens, and gives its result with its branches in order. */
export async function watchSearch(
  search: Search<State, Transition>,
  { strategy, progress, context }: WatchOptions,
): Promise<{ readonly result: SearchResult<State, Transition>; readonly branches: BranchData[] }> {
  const { dim } = context.terminal.colors;
  const view = createExploreView(context, progress);
  const branches: BranchData[] = [];
  let best: number | undefined;
  try {
    for await (const event of search) {
      if (event.type === "branch-start") progress.begin(event);
      const hasEnded = event.type === "branch-end" || event.type === "branch-failed";
      const branch = hasEnded ? await toBranchData(event.node, progress.end(event.node.id)) : undefined;
      if (branch) branches.push(branch);
      const told = toEventData(event, { branch, strategy });
      if (told !== undefined) await context.emit(told);
      if (event.type === "search-start") await context.print(`${dim(`${strategy} · from ${shortId(event.from)}`)}\n\n`);
      await view.show(event, branch);
      if (event.type === "search-end") best = event.result.best?.id;
    }
  } finally {
    await view.end(best);
  }
  return { result: await search, branches: branches.toSorted((left, right) => left.id - right.id) };
}

interface ExploreView {
  show(event: SearchEvent<State, Transition>, branch: BranchData | undefined): Promise<void>;
  end(best: number | undefined): Promise<void>;
}

/** The view that fits: a table that moves on a terminal, a line as each branch ends elsewhere, nothing in the JSON formats. */
function createExploreView(context: CommandContext, progress: SearchProgress): ExploreView {
  if (context.format !== "text") return { show: async () => {}, end: async () => {} };
  return context.terminal.isLive ? createLiveTable(context, progress) : createPlainView(context);
}

/** For files and pipes: a line as each branch ends, and at the end the table, whole. */
function createPlainView({ print, terminal }: CommandContext): ExploreView {
  const ended: BranchData[] = [];
  return {
    async show(_, branch) {
      if (!branch) return;
      ended.push(branch);
      await print(`  ${endLine(branch)}\n`);
    },
    async end(best) {
      if (ended.length === 0) return;
      const rows = ended.map((branch): BranchRow => ({ type: "ended", branch, isBest: isShownBest(branch, best) }));
      await print(`\n${formatBranches(rows, { terminal, nowMs: systemClock.now() })}`);
    },
  };
}

function endLine({ id, prompt, outcome, reward }: BranchData): string {
  const said = reward ? [`reward ${formatReward(reward.value)}`, rewardMeaning(reward)] : [];
  return dotted([`Branch ${id} ${outcome}`, ...said, plainLine(promptLine(prompt))]);
}

/** The heading, what is left out, the line of sums with an empty one above it, and the one the cursor stands in. */
const OTHER_LINES = 6;

/** A table of branches that is drawn over itself for as long as the search runs. */
function createLiveTable(context: CommandContext, progress: SearchProgress): ExploreView {
  const { terminal } = context;
  const ended: BranchData[] = [];
  const startedMs = systemClock.now();
  const block = createLiveBlock(context, (frame) => {
    const nowMs = systemClock.now();
    const rows: readonly BranchRow[] = [
      ...progress.queued().map((place): BranchRow => ({ type: "queued", branch: toPlaced(place) })),
      ...progress
        .running()
        .map((each): BranchRow => ({ type: "running", branch: toPlaced(each.place), progress: each })),
      ...ended.map((branch): BranchRow => ({ type: "ended", branch, isBest: false })),
    ];
    const table = formatBranches(rows, { terminal, nowMs, frame, room: terminal.rows - OTHER_LINES });
    return `${table}\n  ${terminal.colors.dim(sums(progress, ended, nowMs - startedMs))}\n`;
  });
  return {
    async show(_, branch) {
      if (branch) ended.push(branch);
      block.update();
    },
    async end(best) {
      const rows = ended.map((branch): BranchRow => ({ type: "ended", branch, isBest: isShownBest(branch, best) }));
      block.end(rows.length === 0 ? "" : formatBranches(rows, { terminal, nowMs: systemClock.now() }));
    },
  };
}

/** What a check has refused is not marked as the best, even where nothing is better. */
function isShownBest({ id, reward }: BranchData, best: number | undefined): boolean {
  return id === best && !(reward && isRefused(reward));
}

function toPlaced({ id, parentId, prompt, attempt }: BranchPlace): BranchRow["branch"] {
  return { id, parent_id: parentId, prompt, attempt };
}

function sums(progress: SearchProgress, ended: readonly BranchData[], elapsedMs: number): string {
  const [running, queued] = [progress.running(), progress.queued()];
  const spent = [...running, ...ended.filter((branch) => !branch.is_reused).map(toCost)];
  const denied = [...running, ...ended].reduce((sum, { denials }) => sum + denials, 0);
  return dotted([
    `${running.length} running`,
    queued.length > 0 && `${queued.length} queued`,
    `${ended.length} ended`,
    denied > 0 && `${formatNumberOf(denied, "call")} denied`,
    paidSum(spent),
    formatElapsed(elapsedMs),
  ]);
}
