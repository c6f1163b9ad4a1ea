import { lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { PRIVATE_FOLDER } from "../../core/index.ts";
import { baseKey, basePlaces, readBaseFile, removeBase, touchBase } from "./base-folder.ts";
import { loadBase, makeBase, type BaseContext, type WantedBase } from "./base-tree.ts";
import { type BranchOptions, type CarriedPath, type BaseTree, topEntries } from "../../snapshot/index.ts";
import { evictBases } from "./evict-bases.ts";
import { takeLock } from "../../database/index.ts";

/** States that are written out once, for any number of branches to lie over. Nobody writes to them. */
export interface Bases {
  /** Names the base of a snapshot. */
  want(snapshotId: string, carried: readonly CarriedPath[]): Promise<WantedBase>;
  /** Makes a base where there is none. Whoever asks has put down a branch that names it, and so keeps it. */
  ensure(base: WantedBase): Promise<void>;
  /** A base as it was read when it was made, so that captures of its branches need not. */
  tree(key: string): Promise<BaseTree>;
}

/** As many trees are kept in memory; a branch keeps its own as long as it lives. */
const MOST_TREES = 3;

/** Another process may be writing out a large state. */
const PATIENCE_MS = 1_800_000;

/** Makes the keeper of a workspace's bases. */
export function createBases(
  making: BaseContext & { readonly limits: Pick<BranchOptions, "maxBases" | "maxBaseBytes"> },
): Bases {
  const { repository, objects, clock } = making.context;
  const trees = new Map<string, Promise<BaseTree>>();
  const remember = (key: string, tree: Promise<BaseTree>): Promise<BaseTree> => {
    trees.delete(key);
    trees.set(key, tree);
    tree.catch(() => trees.delete(key));
    for (const oldest of [...trees.keys()].slice(0, -MOST_TREES)) trees.delete(oldest);
    return tree;
  };
  return {
    async want(snapshotId, carried) {
      const top = await topEntries({ gitDirectory: repository.gitDirectory, objects }, snapshotId);
      return { key: baseKey(top, carried), snapshotId, carried };
    },
    async ensure(wanted) {
      const { base, lock } = basePlaces(repository, wanted.key);
      await mkdir(join(repository.home, "bases"), PRIVATE_FOLDER);
      let isNew = false;
      {
        await using _ = await takeLock(lock, { clock, waitMs: PATIENCE_MS });
        isNew = !(await readBaseFile(repository, wanted.key));
        if (isNew && (await lstat(base).catch(() => undefined))) await removeBase(repository, wanted.key);
        if (isNew) await remember(wanted.key, makeBase(making, wanted));
        await touchBase(repository, wanted.key, clock.now());
      }
      if (isNew) await evictBases(repository, making.limits);
    },
    tree: (key) => remember(key, trees.get(key) ?? loadBase(making, key)),
  };
}
