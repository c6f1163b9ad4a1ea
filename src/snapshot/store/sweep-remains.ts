import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Repository } from "./repository.ts";
import { sweepRefLocks, isOfDead } from "../../git/index.ts";

/**
 * Removes what a git that was killed left half written. Only the holder of the store's lock may. A git whose Skein was
 * killed may still be ending, and must not have objects taken from under it: what it needs to end well is left until it is
 * old. Without its pack it fails, before it writes a ref, which is as good.
 */
export async function sweepRemains(
  { gitDirectory, home }: Pick<Repository, "gitDirectory" | "home">,
  nowMs: number,
): Promise<void> {
  const objects = join(gitDirectory, "objects");
  await removeAll(gitDirectory, { pattern: /^fast_import_crash_/, nowMs, ageMs: 0 });
  await removeAll(join(objects, "pack"), { pattern: /^(tmp_|\.tmp-)/, nowMs, ageMs: 0 });
  for (const name of await readdir(objects).catch(() => []))
    if (LOOSE.test(name)) await removeAll(join(objects, name), { pattern: /^tmp_obj_/, nowMs, ageMs: 0 });
  await removeAll(objects, { pattern: /^tmp_objdir/, nowMs, ageMs: HOUR_MS });
  await removeAll(join(home, "temporary"), { pattern: /./, nowMs, ageMs: HOUR_MS });
  await sweepRefLocks(gitDirectory, nowMs);
}

/** Removes packs that processes which are gone did not finish writing; whoever holds the lock removes those of git too. */
export async function sweepHalfPacks({ gitDirectory }: Pick<Repository, "gitDirectory">): Promise<void> {
  const folder = join(gitDirectory, "objects/pack");
  for (const name of (await readdir(folder)).filter((each) => each.startsWith("tmp_pack_"))) {
    if (await isOfDead(name)) await rm(join(folder, name), { force: true });
  }
}

/** Where git keeps an object in a file of its own. Only who repacks under the lock writes such. */
const LOOSE = /^[0-9a-f]{2}$/u;

const HOUR_MS = 3_600_000;

interface Remains {
  readonly pattern: RegExp;
  readonly nowMs: number;
  readonly ageMs: number;
}

async function removeAll(folder: string, { pattern, nowMs, ageMs }: Remains): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((each) => pattern.test(each))) {
    // Not everybody who writes a pack holds the lock.
    if ((await isOfDead(name)) === false) continue;
    const path = join(folder, name);
    const stats = await lstat(path).catch(() => undefined);
    // What cannot be removed now is found again the next time.
    if (stats && stats.mtimeMs <= nowMs - ageMs)
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}
