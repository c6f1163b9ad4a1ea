import { createHash } from "node:crypto";
import { lstat, readdir, rename, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { PRIVATE_FILE } from "../../core/index.ts";
import { sweepLocks, tryLock } from "../../database/index.ts";
import { type BytePath, readJsonFile, removeTree } from "../../git/index.ts";
import { type CarriedPath, forgetMemory, type Repository, type StorePlace } from "../../snapshot/index.ts";
import type { BranchOptions } from "./branch-options.ts";
import { listBranchRecords } from "./branch-record.ts";

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
export function baseKey(top: ReadonlyMap<BytePath, string>, carried: readonly CarriedPath[]): string {
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

export async function readBaseFile(repository: Pick<Repository, "home">, key: string) {
  return await readJsonFile(join(basePlaces(repository, key).base, "base.json"), BaseFile);
}

export async function writeBaseFile(folder: string, file: Omit<z.infer<typeof BaseFile>, "version">): Promise<void> {
  await writeFile(join(folder, "base.json"), JSON.stringify({ version: 1, ...file }), { mode: PRIVATE_FILE });
}

/** Notes that a base is in use: bases that were used long ago go first. */
export async function touchBase(repository: Pick<Repository, "home">, key: string, nowMs: number): Promise<void> {
  const time = new Date(nowMs);
  await utimes(join(basePlaces(repository, key).base, "base.json"), time, time);
}

/** Removes a base, by whoever holds its lock: first from its place, so that half of one is never met. */
export async function removeBase(repository: Pick<Repository, "home">, key: string): Promise<void> {
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
