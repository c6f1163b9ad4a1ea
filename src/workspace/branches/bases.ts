import { createHash } from "node:crypto";
import { lstat, mkdir, readdir, rename, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { bootId, createId, PRIVATE_FILE, PRIVATE_FOLDER } from "../../core/internal.ts";
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
  const reading = new Set<Promise<unknown>>();
  /** Whoever asked for the base can use it meanwhile: nobody writes to it. */
  const readAhead = (key: string, written: WrittenFiles | undefined): void => {
    const work = readMadeBase(making, key, written);
    reading.add(work);
    void remember(key, work)
      .catch(() => undefined)
      .finally(() => reading.delete(work));
  };
  return {
    async want(snapshotId: string, carried: readonly CarriedPath[]): Promise<WantedBase> {
      const top = await topEntries(making.context, snapshotId);
      return { key: baseKey(top, carried, await ownBoot()), snapshotId, carried };
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
        if (isNew) readAhead(wanted.key, await makeBase(making, wanted));
        // Those that were used longest ago go first.
        const now = new Date(clock.now());
        await utimes(join(base, "base.json"), now, now);
      }
      if (isNew) await evictBases(repository, making.limits);
    },
    /** A base as it was read when it was made, so that captures of its branches need not. */
    tree: (key: string): Promise<BaseTree> => remember(key, trees.get(key) ?? loadBase(making, key)),
    /** Waits for what is still being read. */
    async close(): Promise<void> {
      await Promise.allSettled(reading);
    },
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

/**
 * Writes a base beside its place and puts it there, whole, by whoever holds its lock; gives its files as a capture would find them. None
 * of them is flushed to the disk: after a power cut nobody asks for it.
 */
async function makeBase(making: BaseContext, { key, snapshotId, carried }: WantedBase) {
  const { repository } = making.context;
  const { base, half } = basePlaces(repository, key);
  await removeTree(half);
  const directory = join(half, "tree");
  const carry = carried.map(({ path }) => path);
  const { sizeLimitBytes } = making.captured;
  const request = { id: snapshotId, directory, origin: repository.workspace, carry, sizeLimitBytes };
  const { settled } = await materialise(making.context, request);
  const sizeBytes = settled ? await measureBase(directory, carry, settled.found) : await measureFolder(half);
  const file: BaseFile = { version: 2, snapshotId, sizeBytes, boot: await ownBoot() };
  await writeFile(join(half, "base.json"), JSON.stringify(file), { mode: PRIVATE_FILE });
  await rename(half, base);
  return settled?.found;
}

/** What was written is known, so that only the rest has to be looked at. */
async function measureBase(directory: string, carry: readonly string[], found: WrittenFiles): Promise<number> {
  let bytes = 0;
  for (const { stat } of found.values()) bytes += Math.ceil(stat.size / BLOCK_BYTES) * BLOCK_BYTES;
  for (const path of [".git", ...carry]) bytes += await measureFolder(join(directory, path));
  return bytes;
}

const BLOCK_BYTES = 4096;

/** Which start of the machine this is; on a system that does not tell, which process. */
async function ownBoot(): Promise<string> {
  return await (knownBoot ??= bootId().then((id) => id ?? createId()));
}

let knownBoot: Promise<string> | undefined;

/** Reads a base that was just made, and leaves what is known of it to the next process. */
async function readMadeBase(making: BaseContext, key: string, written: WrittenFiles | undefined): Promise<BaseTree> {
  const { repository } = making.context;
  const { tree, read } = basePlaces(repository, key);
  const made = await readBase(making, tree, written);
  const { memory, ...file } = made;
  // Not for a base that has been removed since, nor where the disk is full: then it is read again.
  await writeFile(read, JSON.stringify(file), { mode: PRIVATE_FILE }).then(
    // Nobody asks git about a base's files.
    () => saveMemory(repository, tree, { ...memory, fewFiles: Number.POSITIVE_INFINITY }),
    () => undefined,
  );
  return made;
}

/** A base that another process made, as that process read it; it is read again where that is lost, or not there yet. */
async function loadBase(making: BaseContext, key: string): Promise<BaseTree> {
  const { repository } = making.context;
  const { tree, read } = basePlaces(repository, key);
  const [file, memory] = [await readJsonFile(read, ReadFile), await loadMemory(repository, tree)];
  if (!file || !memory) return await readBase(making, tree);
  const git = await readGitState(repository, tree, undefined);
  return { memory: { ...memory, git }, ...file };
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
  version: z.literal(2),
  snapshotId: z.string(),
  sizeBytes: z.number(),
  /** The start of the machine that it belongs to: after the next one nobody asks for it. */
  boot: z.string(),
});

type BaseFile = z.infer<typeof BaseFile>;

/** How a base was read, `read.json` beside its `tree`; of use only with what is remembered of it. */
const ReadFile = z.strictObject({ sizeLimitBytes: z.number(), isWhole: z.boolean() });

/** Changes when bases are made otherwise than before, so that none of an older version is taken for one. */
const LAYOUT = 3;

/**
 * The name of the base of a snapshot with these carried folders. What a state has beside its snapshot does not matter. What was not
 * flushed to the disk is there for certain only until the machine starts anew: then, and for another machine, it has another name.
 */
function baseKey(top: ReadonlyMap<BytePath, string>, carried: readonly CarriedPath[], boot: string): string {
  const parts = ["files", "files.meta", "git.json", "git-index", "git-objects"].map((name) => top.get(name) ?? null);
  const text = JSON.stringify([LAYOUT, boot, parts, carried.map(({ path, stamp }) => [path, stamp])]);
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

/** The places of a base: itself, its files, how they were read, where it is half made or half removed, and the lock for all that. */
export function basePlaces(
  { home }: Pick<Repository, "home">,
  key: string,
): Record<"base" | "tree" | "read" | "half" | "lock", string> {
  const base = join(home, "bases", key);
  return { base, tree: join(base, "tree"), read: join(base, "read.json"), half: `${base}.half`, lock: `${base}.lock` };
}

/** Of a base that somebody may still ask for. */
async function readBaseFile(repository: Pick<Repository, "home">, key: string): Promise<BaseFile | undefined> {
  const file = await readJsonFile(join(basePlaces(repository, key).base, "base.json"), BaseFile);
  return file?.boot === (await ownBoot()) ? file : undefined;
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
