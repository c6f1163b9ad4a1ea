import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { basePlaces, listBaseKeys, readBaseFile, removeBase, removeHalfBase } from "./base-folder.ts";
import type { BranchOptions } from "../../snapshot/index.ts";
import { listBranchRecords, type BranchesHome } from "../branches/branch-record.ts";
import { tryLock } from "../../database/index.ts";
import { sweepLocks } from "../remains/sweep-locks.ts";

/** Removes the bases that were used longest ago, as long as there are too many or too large ones; none that is in use. */
export async function evictBases(
  repository: BranchesHome,
  limits: Pick<BranchOptions, "maxBases" | "maxBaseBytes">,
): Promise<void> {
  const { maxBases = 10, maxBaseBytes = 10 * 1024 ** 3 } = limits;
  const found = await Promise.all((await listBaseKeys(repository)).map((key) => lookAtBase(repository, key)));
  let [count, bytes] = [0, 0];
  for (const { key, sizeBytes } of found.toSorted((left, right) => right.usedMs - left.usedMs)) {
    count += 1;
    bytes += sizeBytes ?? 0;
    // What has no size is half of a base, which a killed process left or another is making.
    if (sizeBytes !== undefined && count <= maxBases && bytes <= maxBaseBytes) continue;
    await using lock = await tryLock(basePlaces(repository, key).lock);
    if (!lock || (await isInUse(repository, key))) continue;
    await removeBase(repository, key);
  }
}

/** Removes what processes that were killed left of bases which they were making or removing. */
export async function sweepHalfBases(repository: BranchesHome): Promise<void> {
  const folder = join(repository.home, "bases");
  await sweepLocks(folder);
  for (const name of await readdir(folder).catch(() => [])) {
    const key = /^([0-9a-f]{32})\.half$/.exec(name)?.[1];
    if (key === undefined) continue;
    await using lock = await tryLock(basePlaces(repository, key).lock);
    if (lock) await removeHalfBase(repository, key);
  }
}

async function lookAtBase(
  repository: BranchesHome,
  key: string,
): Promise<{ readonly key: string; readonly usedMs: number; readonly sizeBytes: number | undefined }> {
  const stats = await lstat(join(basePlaces(repository, key).base, "base.json")).catch(() => undefined);
  return { key, usedMs: stats?.mtimeMs ?? 0, sizeBytes: (await readBaseFile(repository, key))?.sizeBytes };
}

async function isInUse(repository: BranchesHome, key: string): Promise<boolean> {
  return (await listBranchRecords(repository)).some(({ record, isLive }) => isLive && record.base === key);
}
