import { stat } from "node:fs/promises";
import { dataHome, systemClock, toSkeinError } from "../../core/internal.ts";
import { findStores, openStates, type FoundStore } from "../../workspace/internal.ts";
import type { FigureGroup, FiguresQuery } from "./figures.ts";
import { indexPath, keepIndex } from "./kept-index.ts";
import type { StateIndex } from "./state-index.ts";

/** The figures of one workspace. */
export interface StoreFigures {
  readonly store: FoundStore;
  readonly groups: readonly FigureGroup[];
  /** Those turns, of the ones that were asked for, that are recorded in it. */
  readonly recorded: ReadonlySet<string>;
}

/** A workspace whose record cannot be read. */
export interface SkippedStore {
  readonly workspace: string;
  readonly kind: string;
  readonly message: string;
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
}

/** How many indices are kept open. */
const MOST_OPEN = 32;

/** Opens the stores of a data folder when they are first asked, and keeps them open. A store that has not changed is not looked at again. */
export function createFigureReader(home: string = dataHome()): FigureReader {
  const opened = createOpenStores();
  let last: Promise<unknown> = Promise.resolve();

  async function read({ workspace, transitionIds = [], ...query }: FigureRequest) {
    const stores: StoreFigures[] = [];
    const skipped: SkippedStore[] = [];
    const histories: History[] = [];
    for (const store of await findStores(home)) {
      if (workspace !== undefined && store.workspace !== workspace) continue;
      try {
        const found = await opened.ask(store, async (index) => {
          const roots = await index.roots();
          const without = await statesInCommon(roots, histories);
          const groups = await index.figures({ ...query, without });
          const recorded = new Set(transitionIds.length === 0 ? [] : await index.which(transitionIds));
          return { roots, figures: { store, groups, recorded } };
        });
        stores.push(found.figures);
        histories.push({ roots: found.roots, ids: async () => await opened.ask(store, (index) => index.ids()) });
      } catch (error) {
        const { kind, message } = toSkeinError(error);
        skipped.push({ workspace: store.workspace, kind, message });
      }
      await opened.closeOthers(MOST_OPEN);
    }
    return { stores, skipped };
  }

  return {
    // One after the other: what one has open another must not close.
    read(request) {
      const found = last.then(async () => await read(request));
      last = found.catch(() => undefined);
      return found;
    },
    async [Symbol.asyncDispose]() {
      await last;
      await opened.closeOthers(0);
    },
  };
}

/** The states of a workspace that was counted before. */
interface History {
  readonly roots: readonly string[];
  ids(): Promise<readonly string[]>;
}

async function statesInCommon(roots: readonly string[], counted: readonly History[]): Promise<readonly string[]> {
  const own = new Set(roots);
  const related = counted.filter((other) => other.roots.some((root) => own.has(root)));
  return (await Promise.all(related.map(async ({ ids }) => await ids()))).flat();
}

function createOpenStores() {
  const opened = new Map<string, OpenedStore>();

  async function open(store: FoundStore): Promise<OpenedStore> {
    let known = opened.get(store.home);
    if (known && !(await known.isThere())) {
      await known.close();
      known = undefined;
    }
    known ??= await openStore(store);
    // The one used last is the last in order.
    opened.delete(store.home);
    opened.set(store.home, known);
    return known;
  }

  return {
    async ask<T>(store: FoundStore, question: (index: StateIndex) => Promise<T>): Promise<T> {
      return await (await open(store)).ask(question);
    },
    async closeOthers(most: number): Promise<void> {
      for (const [name, { close }] of opened) {
        if (opened.size <= most) return;
        opened.delete(name);
        await close();
      }
    },
  };
}

interface OpenedStore {
  /** Whether its index is still the file that was opened: somebody may have deleted it. */
  isThere(): Promise<boolean>;
  ask<T>(question: (index: StateIndex) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

async function openStore(store: FoundStore): Promise<OpenedStore> {
  const states = openStates(store);
  // Its git is not needed until something changes.
  const onFilled = (): Promise<void> => states.close();
  const { home, gitDirectory } = store;
  const index = await keepIndex({ home, gitDirectory, states, clock: systemClock, onFilled });
  const path = indexPath(home);
  const file = await fileOf(path);
  return {
    isThere: async () => (await fileOf(path)) === file,
    ask: index.ask,
    close: async () => await index.close(),
  };
}

async function fileOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.ino;
}
