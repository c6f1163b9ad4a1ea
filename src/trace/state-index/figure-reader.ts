import { dataHome } from "../../core/internal.ts";
import type { FoundStore } from "../../workspace/internal.ts";
import { addShares, type AgentFigures } from "./agent-shares.ts";
import type { FigureGroup, FiguresQuery } from "./figures.ts";
import { openStores, type OpenStores, type SkippedStore } from "./open-stores.ts";

/** The figures of one workspace. */
export interface StoreFigures {
  readonly store: FoundStore;
  readonly groups: readonly FigureGroup[];
  /** Those turns, of the ones that were asked for, that are recorded in it. */
  readonly recorded: ReadonlySet<string>;
}

/** What is asked of a `FigureReader`. */
export interface FigureRequest extends Omit<FiguresQuery, "without"> {
  /** Only of the workspace with this path. */
  readonly workspace?: string | undefined;
  /** Turns of which it is to be said whether they are recorded. */
  readonly transitionIds?: readonly string[] | undefined;
}

/** Sums up what is recorded in all workspaces of a data folder; their directories need not be there. */
export interface FigureReader extends AsyncDisposable {
  /** A state that several workspaces have, as after a pull, counts in the first of them alone. */
  read(request: FigureRequest): Promise<{
    readonly stores: readonly StoreFigures[];
    readonly skipped: readonly SkippedStore[];
  }>;
  /** What each agent came to in all of them together. */
  shares(request: Pick<FigureRequest, "spans" | "workspace" | "model">): Promise<{
    readonly shares: readonly AgentFigures[];
    readonly skipped: readonly SkippedStore[];
  }>;
}

/** Reads them from stores that others have open, too, or from its own of a data folder. */
export function createFigureReader(from: string | OpenStores = dataHome()): FigureReader {
  const opened = typeof from === "string" ? openStores(from) : from;
  return {
    read: async ({ workspace, transitionIds = [], ...query }) =>
      await opened.ask(
        {
          among: (store) => workspace === undefined || store.workspace === workspace,
          async ask({ store, index, without }) {
            const groups = await index.figures({ ...query, without });
            const recorded = new Set(transitionIds.length === 0 ? [] : await index.which(transitionIds));
            return { store, groups, recorded };
          },
        },
        (stores, skipped) => Promise.resolve({ stores, skipped }),
      ),
    shares: async ({ workspace, ...query }) =>
      await opened.ask(
        {
          among: (store) => workspace === undefined || store.workspace === workspace,
          ask: async ({ index, without }) => await index.shares({ ...query, without }),
        },
        (found, skipped) => Promise.resolve({ shares: addShares(found.flat()), skipped }),
      ),
    [Symbol.asyncDispose]: async () => (typeof from === "string" ? await opened[Symbol.asyncDispose]() : undefined),
  };
}
