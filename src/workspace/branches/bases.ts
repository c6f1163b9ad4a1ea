import { lstat, mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { defined, PRIVATE_FOLDER } from "../../core/index.ts";
import { takeLock } from "../../database/index.ts";
import { removeTree } from "../../git/index.ts";
import {
  type BaseTree,
  capture,
  type CaptureContext,
  type CaptureOptions,
  type CarriedPath,
  loadMemory,
  materialise,
  readGitState,
  saveMemory,
  type Seed,
  SIZE_LIMIT_BYTES,
  topEntries,
} from "../../snapshot/index.ts";
import { baseKey, basePlaces, evictBases, readBaseFile, removeBase, touchBase, writeBaseFile } from "./base-folder.ts";
import type { BranchOptions } from "./branch-options.ts";
import { measureFolder } from "./branch-quota.ts";

/** States that are written out once, for any number of branches to lie over. Nobody writes to them. */
export type Bases = ReturnType<typeof createBases>;

/** As many trees are kept in memory; a branch keeps its own as long as it lives. */
const MOST_TREES = 3;

/** Another process may be writing out a large state. */
const PATIENCE_MS = 1_800_000;

export function createBases(
  making: BaseContext & { readonly limits: Pick<BranchOptions, "maxBases" | "maxBaseBytes"> },
) {
  const { repository, clock } = making.context;
  const trees = new Map<string, Promise<BaseTree>>();
  const remember = (key: string, tree: Promise<BaseTree>): Promise<BaseTree> => {
    trees.delete(key);
    trees.set(key, tree);
    tree.catch(() => trees.delete(key));
    for (const oldest of [...trees.keys()].slice(0, -MOST_TREES)) trees.delete(oldest);
    return tree;
  };
  return {
    async want(snapshotId: string, carried: readonly CarriedPath[]): Promise<WantedBase> {
      const top = await topEntries(making.context, snapshotId);
      return { key: baseKey(top, carried), snapshotId, carried };
    },
    /** Makes a base where there is none. Whoever asks has put down a branch that names it, and so keeps it. */
    async ensure(wanted: WantedBase): Promise<void> {
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
    /** A base as it was read when it was made, so that captures of its branches need not. */
    tree: (key: string): Promise<BaseTree> => remember(key, trees.get(key) ?? loadBase(making, key)),
  };
}

export interface WantedBase {
  readonly key: string;
  readonly snapshotId: string;
  readonly carried: readonly CarriedPath[];
}

interface BaseContext {
  readonly context: CaptureContext;
  /** How branches will be captured: a base that was read otherwise would have to be read again. */
  readonly captured: Pick<CaptureOptions, "include" | "sizeLimitBytes">;
}

/** Writes a base beside its place and puts it there, whole, by whoever holds its lock; gives it as it was read right after. */
async function makeBase(making: BaseContext, { key, snapshotId, carried }: WantedBase): Promise<BaseTree> {
  const { repository } = making.context;
  const { base, tree, half } = basePlaces(repository, key);
  await removeTree(half);
  const directory = join(half, "tree");
  const carry = carried.map(({ path }) => path);
  const { sizeLimitBytes: limit } = making.captured;
  const request = { id: snapshotId, directory, origin: repository.workspace, carry, sizeLimitBytes: limit };
  const { seed } = await materialise(making.context, request);
  const made = await readBase(making, directory, seed);
  const { sizeLimitBytes, isWhole, memory } = made;
  await writeBaseFile(half, { snapshotId, sizeBytes: await measureFolder(half), sizeLimitBytes, isWhole });
  await rename(half, base);
  // Nobody asks git about a base's files.
  await saveMemory(repository, tree, { ...memory, fewFiles: Number.POSITIVE_INFINITY });
  return made;
}

/** A base that another process made, as that process read it; it is read again where that is lost. */
async function loadBase(making: BaseContext, key: string): Promise<BaseTree> {
  const { repository } = making.context;
  const { tree } = basePlaces(repository, key);
  const [file, memory] = [await readBaseFile(repository, key), await loadMemory(repository, tree)];
  if (!file || !memory) return await readBase(making, tree, undefined);
  const git = await readGitState(repository, tree, undefined);
  return { memory: { ...memory, git }, sizeLimitBytes: file.sizeLimitBytes, isWhole: file.isWhole };
}

async function readBase(
  { context, captured }: BaseContext,
  directory: string,
  known: Seed | undefined,
): Promise<BaseTree> {
  const request = { directory, options: captured, memory: undefined, isSettled: true, ...defined({ known }) };
  const { snapshot, memory } = await capture(context, request);
  const { sizeLimitBytes = SIZE_LIMIT_BYTES } = captured;
  const isWhole = snapshot.leftOut.every(({ reason }) => reason === "secret" || reason === "heavy");
  return { memory, sizeLimitBytes, isWhole };
}
