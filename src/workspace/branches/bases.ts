import { createHash } from "node:crypto";
import { lstat, mkdir, readdir, rename, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "../../core/internal.ts";
import { sweepLocks, takeLock, tryLock } from "../../database/index.ts";
import { type BytePath, readJsonFile, removeTree } from "../../git/index.ts";
import {
  type BaseTree,
  capture,
  type CaptureContext,
  type CaptureOptions,
  type CarriedPath,
  forgetMemory,
  loadMemory,
  materialise,
  readGitState,
  type Repository,
  saveMemory,
  SIZE_LIMIT_BYTES,
  type StorePlace,
  topEntries,
  type WrittenFiles,
} from "../../snapshot/index.ts";
import type { BranchOptions } from "./branch-options.ts";
import { measureFolder } from "./branch-quota.ts";
import { listBranchRecords } from "./branch-record.ts";

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
        // Those that were used longest ago go first.
        const now = new Date(clock.now());
        await utimes(join(base, "base.json"), now, now);
      }
      if (isNew) await evictBases(repository, making.limits);
    },
    /** A base as it was read when it was made, so that captures of its branches need not. */
    tree: (key: string): Promise<BaseTree> => remember(key, trees.get(key) ?? loadBase(making, key)),
  };
}

interface WantedBase {
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
  const { settled } = await materialise(making.context, request);
  const made = await readBase(making, directory, settled?.found);
  const { sizeLimitBytes, isWhole, memory } = made;
  const file = { version: 1, snapshotId, sizeBytes: await measureFolder(half), sizeLimitBytes, isWhole };
  await writeFile(join(half, "base.json"), JSON.stringify(file), { mode: PRIVATE_FILE });
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
  if (!file || !memory) return await readBase(making, tree);
  const git = await readGitState(repository, tree, undefined);
  return { memory: { ...memory, git }, sizeLimitBytes: file.sizeLimitBytes, isWhole: file.isWhole };
}

async function readBase(
  { context, captured }: BaseContext,
  directory: string,
  written?: WrittenFiles,
): Promise<BaseTree> {
  const request = { directory, options: captured, memory: undefined, isSettled: true, written };
  const { snapshot, memory } = await capture(context, request);
  const { sizeLimitBytes = SIZE_LIMIT_BYTES } = captured;
  const isWhole = snapshot.leftOut.every(({ reason }) => reason === "secret" || reason === "heavy");
  return { memory, sizeLimitBytes, isWhole };
}

/** What is put down of a base, `base.json` beside its `tree`. */
const BaseFile = z.strictObject({
  version: z.literal(1),
  snapshotId: z.string(),
  sizeBytes: z.number(),
  sizeLimitBytes: z.number(),
  isWhole: z.boolean(),
});

/** Changes when bases are made otherwise than before, so that none of an older version is taken for one. */
const LAYOUT = 2;

/** The name of the base of a snapshot with these carried folders. What a state has beside its snapshot does not matter. */
function baseKey(top: ReadonlyMap<BytePath, string>, carried: readonly CarriedPath[]): string {
  const parts = ["files", "files.meta", "git.json", "git-index", "git-objects"].map((name) => top.get(name) ?? null);
  const text = JSON.stringify([LAYOUT, parts, carried.map(({ path, stamp }) => [path, stamp])]);
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

/** The places of a base: itself, its files, where it is half made or half removed, and the lock for all that. */
export function basePlaces(
  { home }: Pick<Repository, "home">,
  key: string,
): Record<"base" | "tree" | "half" | "lock", string> {
  const base = join(home, "bases", key);
  return { base, tree: join(base, "tree"), half: `${base}.half`, lock: `${base}.lock` };
}

async function readBaseFile(repository: Pick<Repository, "home">, key: string) {
  return await readJsonFile(join(basePlaces(repository, key).base, "base.json"), BaseFile);
}

/** Removes a base, by whoever holds its lock: first from its place, so that half of one is never met. */
async function removeBase(repository: Pick<Repository, "home">, key: string): Promise<void> {
  const { base, half } = basePlaces(repository, key);
  await removeTree(half);
  await rename(base, half).catch(() => undefined);
  await removeHalfBase(repository, key);
}

/** Removes what is left of a base that was half made or half removed, by whoever holds its lock. */
async function removeHalfBase(repository: Pick<Repository, "home">, key: string): Promise<void> {
  const { tree, half } = basePlaces(repository, key);
  if (!(await readBaseFile(repository, key))) await forgetMemory(repository, tree);
  await removeTree(half);
}

/** Removes the bases that were used longest ago, as long as there are too many or too large ones; none that is in use. */
export async function evictBases(
  repository: StorePlace,
  limits: Pick<BranchOptions, "maxBases" | "maxBaseBytes">,
): Promise<void> {
  const { maxBases = 10, maxBaseBytes = 10 * 1024 ** 3 } = limits;
  const names = await readdir(join(repository.home, "bases")).catch(() => []);
  const keys = new Set(names.map((name) => name.slice(0, 32)).filter((name) => /^[0-9a-f]{32}$/.test(name)));
  const found = await Promise.all(
    Array.from(keys, async (key) => {
      const stats = await lstat(join(basePlaces(repository, key).base, "base.json")).catch(() => undefined);
      return { key, usedMs: stats?.mtimeMs ?? 0, sizeBytes: (await readBaseFile(repository, key))?.sizeBytes };
    }),
  );
  let [count, bytes] = [0, 0];
  for (const { key, sizeBytes } of found.toSorted((left, right) => right.usedMs - left.usedMs)) {
    count += 1;
    bytes += sizeBytes ?? 0;
    // What has no size is half of a base, which a killed process left or another is making.
    if (sizeBytes !== undefined && count <= maxBases && bytes <= maxBaseBytes) continue;
    await using lock = await tryLock(basePlaces(repository, key).lock);
    const isInUse = (await listBranchRecords(repository)).some(({ record, isLive }) => isLive && record.base === key);
    if (lock && !isInUse) await removeBase(repository, key);
  }
}

/** Removes what processes that were killed left of bases which they were making or removing. */
export async function sweepHalfBases(repository: StorePlace): Promise<void> {
  const folder = join(repository.home, "bases");
  await sweepLocks(folder);
  for (const name of await readdir(folder).catch(() => [])) {
    const key = /^([0-9a-f]{32})\.half$/.exec(name)?.[1];
    if (key === undefined) continue;
    await using lock = await tryLock(basePlaces(repository, key).lock);
    if (lock) await removeHalfBase(repository, key);
  }
}
