import { lstat, readdir, readFile, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../core/internal.ts";
import { takeLock } from "../../database/index.ts";
import { MOST_LISTING_BYTES, runGit } from "../../git/index.ts";
import { type StorePlace, sweepRemains } from "../../snapshot/index.ts";
import { evictBases } from "../branches/bases.ts";

type Store = StorePlace & { readonly clock: Clock };

/** Whether a store may not fit on its disk twice: packing it anew writes all of it before the old packs go. */
export async function isTight({ home }: Pick<Store, "home">, storeBytes: number): Promise<boolean> {
  const disk = await statfs(home).catch(() => undefined);
  return disk !== undefined && disk.bavail * disk.bsize < storeBytes;
}

/** Frees what can be freed without writing a byte, as long as nobody else writes to the store. */
export async function freeSpace(store: Store): Promise<void> {
  await using _ = await takeLock(join(store.home, "write.lock"), { clock: store.clock });
  await freeUnwritten(store);
}

/** The same for who holds the store's lock. */
export async function freeUnwritten(store: Store): Promise<void> {
  await sweepRemains(store, store.clock.now());
  await evictBases(store, { maxBases: 0 });
  await removeDeadPacks(store.gitDirectory, store.clock.now());
  await runGit({ gitDirectory: store.gitDirectory, args: ["prune", "--expire=1.day.ago"] });
}

/** As old as what `git prune` is told to leave: a turn that runs now has written objects that nothing names yet. */
const DAY_MS = 86_400_000;

async function removeDeadPacks(gitDirectory: string, nowMs: number): Promise<void> {
  const folder = join(gitDirectory, "objects", "pack");
  const old: string[] = [];
  for (const name of await readdir(folder)) {
    const pack = /^(pack-[0-9a-f]{40})\.pack$/u.exec(name)?.[1];
    const stats = pack === undefined ? undefined : await lstat(join(folder, name));
    if (pack !== undefined && stats && stats.mtimeMs < nowMs - DAY_MS) old.push(join(folder, pack));
  }
  if (old.length === 0) return;
  const args = ["rev-list", "--objects", "--no-object-names", "--all"];
  const reachable = new Set(await listIds(gitDirectory, { args }));
  for (const pack of old) {
    const index = { args: ["show-index"], input: await readFile(`${pack}.idx`) };
    if ((await listIds(gitDirectory, index)).some((id) => reachable.has(id))) continue;
    // The index first: by it git finds the objects.
    for (const end of [".idx", ".rev", ".pack"]) await rm(`${pack}${end}`, { force: true });
  }
}

async function listIds(
  gitDirectory: string,
  call: { readonly args: readonly string[]; readonly input?: Buffer },
): Promise<readonly string[]> {
  const output = await runGit({ gitDirectory, mostOutputBytes: MOST_LISTING_BYTES, ...call });
  return output.toString("latin1").match(/\b[0-9a-f]{40}\b/gu) ?? [];
}
