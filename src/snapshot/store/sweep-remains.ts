import { lstat, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { createId, PRIVATE_FOLDER } from "../../core/internal.ts";
import { announcePresence, isPresent } from "../../database/index.ts";
import { isOfDead, sweepRefLocks } from "../../git/index.ts";
import type { Repository, StorePlace } from "./repository.ts";

/**
 * Removes, for the holder of the store's lock, what a killed git left half written. One whose Skein was killed may still be ending: what it
 * needs for that is left until it is old. Without its pack it fails before it writes a ref, which is as good.
 */
export async function sweepRemains({ gitDirectory, home }: StorePlace, nowMs: number): Promise<void> {
  const objects = join(gitDirectory, "objects");
  const remove = async (folder: string, pattern: RegExp, ageMs = 0): Promise<void> => {
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
  };
  await remove(gitDirectory, /^fast_import_crash_/);
  await remove(join(objects, "pack"), /^(tmp_|\.tmp-)/);
  for (const name of await readdir(objects).catch(() => []))
    if (LOOSE.test(name)) await remove(join(objects, name), /^tmp_obj_/);
  await remove(objects, /^tmp_objdir/, HOUR_MS);
  await remove(join(home, "temporary"), /./, HOUR_MS);
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

/** A place for work in progress, below a workspace's folder; nothing is there yet. Its name says whose it is, so that others can clear it away. */
export async function temporaryPlace(home: string, what: string): Promise<string> {
  const owner = await announcePresence(presences(home));
  await mkdir(join(home, "temporary"), PRIVATE_FOLDER);
  return join(home, "temporary", `${what}-${owner}.${createId()}`);
}

export async function sweepTemporary(home: string): Promise<void> {
  const folder = join(home, "temporary");
  for (const name of await readdir(folder).catch(() => [])) {
    const owner = /^[a-z]+-([\w-]+)\./u.exec(name)?.[1];
    if (owner === undefined || (await isPresent(presences(home), owner))) continue;
    await rm(join(folder, name), { recursive: true, force: true });
  }
}

function presences(home: string): string {
  return join(home, "processes");
}
