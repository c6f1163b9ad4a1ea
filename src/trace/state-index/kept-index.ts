import { join } from "node:path";
import { SkeinError } from "../../core/internal.ts";
import { UnusableDatabaseError } from "../../database/index.ts";
import { indexStates, reindexStates, type IndexedStore } from "./index-states.ts";
import { openStateIndex, openTemporaryIndex } from "./open-state-index.ts";
import type { StateIndex } from "./state-index.ts";

/** The index of a store, open. */
export interface KeptIndex {
  /** Asks it as it is after it was brought up to date with the store. */
  ask<T>(question: (index: StateIndex) => Promise<T>): Promise<T>;
  /** Asks it as it is: for who knows that the store has not changed since. */
  askAsIs<T>(question: (index: StateIndex) => Promise<T>): Promise<T>;
  /** Makes it anew from the store, and gives the number of its states. */
  reindex(): Promise<number>;
  close(): Promise<void>;
}

/** A damaged index is made anew; one that cannot be written, as on a full disk, is made in memory, so that the record can still be looked at. */
export async function keepIndex(store: IndexedStore): Promise<KeptIndex> {
  let index = await openIndex(store);
  let isFilled = false;

  async function whole<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      isFilled = false;
      if (error instanceof UnusableDatabaseError) index = await openIndex(store);
      else if (isUnwritable(error) && index.isShared) {
        await index.close();
        index = await openTemporaryIndex();
      } else throw error;
      return await work();
    }
  }

  async function fill(): Promise<void> {
    await indexStates(store, index);
    isFilled = true;
  }

  return {
    ask: (question) =>
      whole(async () => {
        await fill();
        return await question(index);
      }),
    askAsIs: (question) =>
      whole(async () => {
        if (!isFilled) await fill();
        return await question(index);
      }),
    reindex: () => whole(() => reindexStates(store, index)),
    close: () => index.close(),
  };
}

/** Where the index of a store lies. */
export function indexPath(home: string): string {
  return join(home, "index.sqlite");
}

async function openIndex({ home }: IndexedStore): Promise<StateIndex> {
  return await openStateIndex(indexPath(home)).catch((error: unknown) => {
    if (isUnwritable(error)) return openTemporaryIndex();
    throw error;
  });
}

function isUnwritable(error: unknown): boolean {
  return error instanceof SkeinError && (error.kind === "filesystem" || error.kind === "resource_exhausted");
}
