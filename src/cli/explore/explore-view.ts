import type { SearchEvent } from "../../search/index.ts";
import type { State, Transition } from "../../trace/index.ts";
import type { BranchData } from "./branch-data.ts";
import { branchHeading, branchLine, type BranchLineOptions } from "./branch-lines.ts";
import type { CommandContext } from "../command-context.ts";
import { createLiveTable } from "./live-table.ts";

/** Shows a search to people while it runs. */
export interface ExploreView {
  show(event: SearchEvent<State, Transition>, branch: BranchData | undefined): Promise<void>;
  /** Ends it with what is to stay on the screen. */
  end(best: number | undefined): Promise<void>;
}

/** The view that fits: a table that moves on a terminal, a line as each branch ends elsewhere, nothing in the JSON formats. */
export function createExploreView(context: CommandContext, promptWidth: number): ExploreView {
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
