import { stat } from "node:fs/promises";
import { dataHome, systemClock, toSkeinError } from "../../core/internal.ts";
import { findStores, openStates, type FoundStore } from "../../workspace/internal.ts";
import { indexPath, keepIndex } from "./kept-index.ts";
import type { StateIndex } from "./state-index.ts";

/** A workspace whose record cannot be read. */
export interface SkippedStore {
  readonly workspace: string;
  readonly kind: string;
  readonly message: string;
}

/** The indices of the workspaces of a data folder, whose directories need not be there. They are opened when they are first asked, and kept open. */
export interface OpenStores extends AsyncDisposable {
  /**
   * Asks the index of each store, brought up to date, one after the other; `among` says of which. States that several stores have, as after a pull, are to
   * count in the first of them alone: `without` has those of the others. An index stays open until `work` has ended with all answers.
   */
  ask<Answer, Value>(
    question: StoreQuestion<Answer>,
    work: (answers: readonly Answer[], skipped: readonly SkippedStore[]) => Promise<Value>,
  ): Promise<Value>;
}

/** What is asked of each store. */
export interface StoreQuestion<Answer> {
  among?(store: FoundStore): boolean;
  ask(asked: AskedStore): Promise<Answer>;
}

/** A store whose index is asked. */
export interface AskedStore {
  readonly store: FoundStore;
  readonly index: StateIndex;
  /** States that count elsewhere. */
  readonly without: readonly string[];
}

/** How many indices are kept open. */
const MOST_OPEN = 32;

/** Opens the stores of a data folder. A store that has not changed is not looked at again. */
export function openStores(home: string = dataHome()): OpenStores {
  const opened = createOpenStores();
  let last: Promise<unknown> = Promise.resolve();

  async function askAll<Answer>({ among = () => true, ask }: StoreQuestion<Answer>) {
    const answers: Answer[] = [];
    const skipped: SkippedStore[] = [];
    const histories: History[] = [];
    for (const store of (await findStores(home)).filter((found) => among(found))) {
      try {
        const found = await opened.ask(store, async (index) => {
          const roots = await index.roots();
          const without = await statesInCommon(roots, histories);
          return { roots, answer: await ask({ store, index, without }) };
        });
        answers.push(found.answer);
        histories.push({ roots: found.roots, ids: async () => await opened.ask(store, (index) => index.ids()) });
      } catch (error) {
        const { kind, message } = toSkeinError(error);
        skipped.push({ workspace: store.workspace, kind, message });
      }
    }
    return { answers, skipped };
  }

  return {
    // One after the other: what one has open another must not close.
    ask(question, work) {
      const found = last.then(async () => {
        try {
          const { answers, skipped } = await askAll(question);
          return await work(answers, skipped);
        } finally {
          await opened.closeOthers(MOST_OPEN);
        }
      });
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
