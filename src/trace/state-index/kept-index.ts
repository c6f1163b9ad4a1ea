import { join } from "node:path";
import { SkeinError } from "../../core/internal.ts";
import { UnusableDatabaseError } from "../../database/index.ts";
import { indexStates, reindexStates, type IndexedStore } from "./index-states.ts";
import { openStateIndex, openTemporaryIndex } from "./open-state-index.ts";
import type { StateIndex } from "./state-index.ts";
import { NAMES_AND_NOTES, readSignature } from "./store-signature.ts";
import type { Workspace } from "../../workspace/internal.ts";

/** A store whose index is kept open. */
interface KeptStore extends IndexedStore, Pick<Workspace, "gitDirectory"> {
  /** Called when the store was read. */
  readonly onFilled?: () => Promise<void>;
}

/** The index of a store, open. */
export interface KeptIndex {
  /** Asks it when it is up to date with the store, whose names and notes are read where something was written since. */
  ask<T>(question: (index: StateIndex) => Promise<T>): Promise<T>;
  /** Makes it anew from the store, and gives the number of its states. */
  reindex(): Promise<number>;
  close(): Promise<void>;
}

/** A damaged index is made anew; one that cannot be written, as on a full disk, is made in memory, so that the record can still be looked at. */
export async function keepIndex(store: KeptStore): Promise<KeptIndex> {
  let index = await openIndex(store);
  let before: string | undefined;
  let settled: string | undefined;

  async function whole<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      [before, settled] = [undefined, undefined];
      if (error instanceof UnusableDatabaseError) index = await openIndex(store);
      else if (isUnwritable(error) && index.isShared) {
        await index.close();
        index = await openTemporaryIndex();
      } else throw error;
      return await work();
    }
  }

  async function fill(): Promise<void> {
    // Whoever makes the index anew elsewhere, and is stopped halfway, has changed it and not the store.
    const signature = `${await readSignature(store.gitDirectory, NAMES_AND_NOTES)} ${await index.version()}`;
    if (signature === settled) return;
    await indexStates(store, index);
    // The clock of a file system is coarse: only what was the same once more is believed.
    settled = signature === before ? signature : undefined;
    before = signature;
    await store.onFilled?.();
  }

  return {
    ask: (question) =>
      whole(async () => {
        await fill();
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
