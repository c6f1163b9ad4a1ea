import { lstat, readdir, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Clock } from "../../core/internal.ts";
import { takeLock } from "../../database/index.ts";
import { lookAt, readJsonFile, readRefFile, runGit, updateRef, writeDurably } from "../../git/index.ts";
import type { Repository, StorePlace } from "./repository.ts";

/** More than so many packs, or loose objects, make git search long for an object. */
const MOST_PACKS = 50;
const MOST_LOOSE = 2000;

/**
 * Makes one pack, and one file of refs, of many. Nothing is dropped, reachable or not: another process may not have named it yet. It is
 * skipped while another process writes, and a failure leaves the store as it was.
 */
export async function packStore(repository: Repository, clock: Clock): Promise<void> {
  const { home, gitDirectory } = repository;
  try {
    const inPack = await namesIn(join(gitDirectory, "objects", "pack"));
    const packs = inPack.filter((name) => name.endsWith(".pack"));
    // Objects are spread evenly over 256 folders by their ids; a few tell how full all are.
    const loose = await Promise.all(SAMPLES.map((folder) => namesIn(join(gitDirectory, "objects", folder))));
    const looseEstimate = (loose.flat().length * 256) / SAMPLES.length;
    const hasMany = packs.length > MOST_PACKS || looseEstimate > MOST_LOOSE;
    const hasManyRefs = await hasManyLooseRefs(repository);
    if (!hasMany && !hasManyRefs) return;
    await using _ = await takeLock(join(home, "write.lock"), { clock, waitMs: 0 });
    if (hasManyRefs) await packRefs(repository);
    if (!hasMany) return;
    const settings = ["repack.writeBitmaps=false", "pack.threads=1"];
    await runGit({ gitDirectory, settings, args: ["repack", "-q", "-d", "--geometric=2"] });
  } catch {
    // The next time will do.
  }
}

const SAMPLES = ["17", "5a", "9c", "e3"];

async function namesIn(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch(() => []);
}

/** Where the refs are that keep bare snapshots from being collected: those of turns are in their states as well. */
export const SNAPSHOTS = "refs/skein/snapshots/";

/** Whether a snapshot was ever taken, or anything else named that was packed since. */
export function hasSnapshots({ gitDirectory }: Pick<StorePlace, "gitDirectory">): boolean {
  return ["refs/skein/snapshots", "packed-refs"].some((path) => lookAt(join(gitDirectory, path)) !== undefined);
}

/** With more refs in files of their own, every listing opens each of them. */
const MOST_LOOSE_REFS = 300;

async function hasManyLooseRefs({ gitDirectory }: StorePlace): Promise<boolean> {
  const folders = [SNAPSHOTS, "refs/skein/conversations", "refs/skein/notes"];
  const names = await Promise.all(folders.map((folder) => namesIn(join(gitDirectory, folder))));
  return names.flat().length > MOST_LOOSE_REFS;
}

/** Makes one file of the refs, by whoever holds the store's lock. The age of a snapshot, until then its file's, is put down first. */
async function packRefs({ home, gitDirectory }: StorePlace): Promise<void> {
  const folder = join(gitDirectory, SNAPSHOTS);
  const ages = new Map(await readAges(home));
  for (const id of await namesIn(folder)) {
    const stats = await lstat(join(folder, id)).catch(() => undefined);
    if (stats && /^[0-9a-f]{40}$/u.test(id)) ages.set(id, Math.round(stats.mtimeMs));
  }
  await writeAges(home, ages);
  await runGit({ gitDirectory, args: ["pack-refs", "--all"] });
}

/** Tells when snapshots were last taken or used: by the file of the ref, or as it was put down when that was packed. */
export async function readSnapshotTimes({ home, gitDirectory }: StorePlace) {
  const ages = await readAges(home);
  // Where the ages are lost, nothing is older than the packing.
  const packedMs = (await stat(join(gitDirectory, "packed-refs")).catch(() => undefined))?.mtimeMs;
  return async (id: string): Promise<number | undefined> => {
    const stats = await lstat(join(gitDirectory, SNAPSHOTS, id)).catch(() => undefined);
    return stats?.mtimeMs ?? ages.get(id) ?? packedMs;
  };
}

export async function dropAges(home: string, kept: ReadonlySet<string>): Promise<void> {
  const ages = await readAges(home);
  const left = [...ages].filter(([id]) => kept.has(id));
  if (left.length < ages.size) await writeAges(home, left);
}

const AgesFile = z.strictObject({ version: z.literal(1), ages: z.record(z.string(), z.number()) });

async function readAges(home: string): Promise<ReadonlyMap<string, number>> {
  return new Map(Object.entries((await readJsonFile(agesPath(home), AgesFile))?.ages ?? {}));
}

async function writeAges(home: string, ages: Iterable<readonly [string, number]>): Promise<void> {
  await writeDurably(agesPath(home), `${JSON.stringify({ version: 1, ages: Object.fromEntries(ages) })}\n`);
}

function agesPath(home: string): string {
  return join(home, "snapshot-ages.json");
}

/** A snapshot that was taken before counts as new: garbage collection goes by the age of its ref. */
export async function refreshSnapshot(
  { gitDirectory, clock }: { readonly gitDirectory: string; readonly clock: Clock },
  snapshotId: string,
): Promise<void> {
  const now = new Date(clock.now());
  const ref = `${SNAPSHOTS}${snapshotId}`;
  await utimes(join(gitDirectory, ref), now, now).catch(async () => {
    // It was packed: in a file of its own it has an age again.
    const to = await readRefFile(gitDirectory, ref);
    if (to !== undefined) await updateRef(gitDirectory, ref, { to, clock });
  });
}
