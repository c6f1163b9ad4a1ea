import type { Search, SearchResult } from "../../search/index.ts";
import type { State, Transition } from "../../trace/index.ts";
import { toBranchData, type BranchData } from "./branch-data.ts";
import type { CommandContext } from "../command-context.ts";
import { toEventData } from "./explore-data.ts";
import { createExploreView } from "./explore-view.ts";
import { shortId } from "../states/short-id.ts";

/** What a search came to, with its branches in the words of the envelope. */
export interface WatchedSearch {
  readonly result: SearchResult<State, Transition>;
  /** In the order in which the search asked for them. */
  readonly branches: BranchData[];
}

/** How a search is shown. */
export interface WatchOptions {
  /** What the strategy is called on the command line. */
  readonly strategy: string;
  /** What the prompts that are known from the beginning need of a line. */
  readonly promptWidth: number;
  readonly context: CommandContext;
}

/** Runs a search to its end: shows and emits what happens in it. */
export async function watchSearch(
  search: Search<State, Transition>,
  { strategy, promptWidth, context }: WatchOptions,
): Promise<WatchedSearch> {
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
      if (event.type === "search-start") await context.print(heading(strategy, event.from, context));
      await view.show(event, branch);
      if (event.type === "search-end") best = event.result.best?.id;
    }
  } finally {
    await view.end(best);
  }
  return { result: await search, branches: branches.toSorted((left, right) => left.id - right.id) };
}

/** The line above a search: how it is searched, and from where. */
function heading(strategy: string, from: string, { terminal }: CommandContext): string {
  return `${terminal.colors.dim(`${strategy} · from ${shortId(from)}`)}\n\n`;
}
