import type { Search, SearchResult, SearchEvent } from "../../search/internal.ts";
import type { State, Transition } from "../../trace/internal.ts";
import { toBranchData, type BranchData, toEventData } from "./explore-data.ts";
import type { CommandContext } from "../define-command.ts";
import { shortId } from "../states/short-id.ts";
import {
  branchHeading,
  branchLine,
  type BranchLineOptions,
  promptWidthOf,
  treeOrder,
  type BranchPlace,
  type BranchRow,
} from "./explore-lines.ts";
import { systemClock } from "../../core/internal.ts";
import { formatElapsed, formatUsd, widthOf, SPINNER_FRAMES, type Terminal } from "../../terminal/index.ts";

interface WatchOptions {
  readonly strategy: string;
  /** What the prompts that are known from the beginning need of a line. */
  readonly promptWidth: number;
  readonly context: CommandContext;
}

export async function watchSearch(
  search: Search<State, Transition>,
  { strategy, promptWidth, context }: WatchOptions,
): Promise<{ readonly result: SearchResult<State, Transition>; readonly branches: BranchData[] }> {
  const { dim } = context.terminal.colors;
  const view = createExploreView(context, promptWidth);
  const branches: BranchData[] = [];
  let best: number | undefined;
  try {
    for await (const event of search) {
      const hasEnded = event.type === "branch-end" || event.type === "branch-failed";
      const branch = hasEnded ? await toBranchData(event.node) : undefined;
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
function createExploreView(context: CommandContext, promptWidth: number): ExploreView {
  if (context.format !== "text") return { show: async () => {}, end: async () => {} };
  return context.terminal.isLive ? createLiveTable(context, promptWidth) : createPlainTable(context, promptWidth);
}

/** Whole lines without control characters, for files and pipes. Which one is best is not known while they are written. */
function createPlainTable({ print, terminal }: CommandContext, promptWidth: number): ExploreView {
  const options: BranchLineOptions = { terminal, promptWidth };
  return {
    async show(event, branch) {
      if (event.type === "search-start") await print(branchHeading(options));
      if (branch) await print(branchLine({ type: "ended", branch, isBest: false }, options));
    },
    end: async () => {},
  };
}

const REDRAW_MS = 100;
/** The heading, the line of sums, the line of what is left out, and the one the cursor stands in. */
const OTHER_LINES = 5;

/** A table of branches that is drawn over itself for as long as the search runs. */
function createLiveTable({ print, terminal }: CommandContext, leastPromptWidth: number): ExploreView {
  const running = new Map<number, { readonly branch: BranchPlace; readonly sinceMs: number }>();
  const ended: BranchData[] = [];
  const startedMs = systemClock.now();
  let timer: NodeJS.Timeout | undefined;
  let frame = 0;
  let drawn: readonly string[] = [];
  let promptWidth = leastPromptWidth;

  const rows = (best: number | undefined): readonly BranchRow[] => {
    const nowMs = systemClock.now();
    const going = [...running.values()].map(({ branch, sinceMs }): BranchRow => ({
      type: "running",
      branch,
      elapsedMs: nowMs - sinceMs,
    }));
    const done = ended.map((branch): BranchRow => ({ type: "ended", branch, isBest: branch.id === best }));
    return treeOrder([...going, ...done]);
  };

  const draw = (shown: readonly BranchRow[], below: readonly string[]): void => {
    const options: BranchLineOptions = { terminal, promptWidth, frame: SPINNER_FRAMES[frame] ?? "" };
    const text = [branchHeading(options), ...shown.map((row) => branchLine(row, options)), ...below].join("");
    void print(`${goUp(drawn, terminal)}${text}`);
    drawn = text.split("\n").slice(0, -1);
  };

  const redraw = (): void => {
    frame = (frame + 1) % SPINNER_FRAMES.length;
    const all = rows(bestSoFar(ended));
    const shown = fitRows(all, terminal.rows - OTHER_LINES);
    const hidden = all.length - shown.length;
    const { dim } = terminal.colors;
    const more = hidden === 0 ? [] : [`    ${dim(`… and ${hidden} more`)}\n`];
    draw(shown, [...more, `\n${dim(sums(running.size, ended, systemClock.now() - startedMs))}\n`]);
  };

  return {
    async show(event, branch) {
      if (event.type === "branch-start") {
        const { id, parentId, depth, prompt, attempt } = event;
        running.set(id, { branch: { id, parent_id: parentId, depth, prompt, attempt }, sinceMs: systemClock.now() });
      }
      if (branch) {
        running.delete(branch.id);
        ended.push(branch);
      }
      promptWidth = Math.max(promptWidth, ...rows(undefined).map((row) => promptWidthOf(row.branch)));
      timer ??= setInterval(redraw, REDRAW_MS);
      redraw();
    },
    async end(best) {
      clearInterval(timer);
      running.clear();
      draw(rows(best), []);
    },
  };
}

/** Back to the first line of what was drawn, which is wiped out; lines that a narrower window has broken count as more. */
function goUp(drawn: readonly string[], { columns }: Terminal): string {
  const lines = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns)), 0);
  return lines === 0 ? "" : `\r\u001b[${lines}A\u001b[0J`;
}

/** As many rows as there is room for: what runs and what is best stay, of the rest the last ones. */
function fitRows(rows: readonly BranchRow[], room: number): readonly BranchRow[] {
  const heightOf = (row: BranchRow): number => (row.type === "ended" && row.branch.error ? 2 : 1);
  const weight = (row: BranchRow): number => (row.type === "running" ? 2 : row.isBest ? 1 : 0);
  const wanted = rows.toSorted((left, right) => weight(right) - weight(left) || right.branch.id - left.branch.id);
  const kept = new Set<BranchRow>();
  let height = 0;
  for (const row of wanted) {
    height += heightOf(row);
    if (height > Math.max(room, 1)) break;
    kept.add(row);
  }
  return rows.filter((row) => kept.has(row));
}

function bestSoFar(ended: readonly BranchData[]): number | undefined {
  const valued = ended.flatMap(({ id, reward }) => (reward ? [{ id, value: reward.value }] : []));
  return valued.toSorted((left, right) => right.value - left.value || left.id - right.id)[0]?.id;
}

function sums(running: number, ended: readonly BranchData[], elapsedMs: number): string {
  const cost = ended.reduce((sum, branch) => sum + (branch.is_reused ? 0 : branch.cost_usd), 0);
  return `  ${running} running · ${ended.length} ended · ${formatUsd(cost)} · ${formatElapsed(elapsedMs)}`;
}
