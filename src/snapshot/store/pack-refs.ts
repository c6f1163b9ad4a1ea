import { lstat, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { writeDurably, runGit, tryJson } from "../../git/index.ts";
import type { Repository } from "./repository.ts";

/** The refs below which bare snapshots are: those of turns are in their states as well. */
export const SNAPSHOTS = "refs/skein/snapshots/";

/** With more refs in files of their own, every listing opens each of them. */
const MOST_LOOSE = 300;

/** Whether there are many refs in files of their own. */
export async function hasManyLooseRefs({ gitDirectory }: Pick<Repository, "gitDirectory">): Promise<boolean> {
  const folders = [SNAPSHOTS, "refs/skein/conversations", "refs/skein/notes"];
  const names = await Promise.all(folders.map((folder) => readdir(join(gitDirectory, folder)).catch(() => [])));
  return names.flat().length > MOST_LOOSE;
}

/** Makes one file of the refs, by whoever holds the store's lock. The age of a snapshot, until then its file's, is put down first. */
export async function packRefs({ home, gitDirectory }: Pick<Repository, "home" | "gitDirectory">): Promise<void> {
  const folder = join(gitDirectory, SNAPSHOTS);
  const ages = new Map(await readAges(home));
  for (const id of await readdir(folder).catch(() => [])) {
    const stats = await lstat(join(folder, id)).catch(() => undefined);
    if (stats && /^[0-9a-f]{40}$/u.test(id)) ages.set(id, Math.round(stats.mtimeMs));
  }
  await writeDurably(agesPath(home), `${JSON.stringify({ version: 1, ages: Object.fromEntries(ages) })}\n`);
  await runGit({ gitDirectory, args: ["pack-refs", "--all"] });
}

/** Tells when snapshots were last taken or used: by the file of the ref, or as it was put down when that was packed. */
export async function readSnapshotTimes({
  home,
  gitDirectory,
}: Pick<Repository, "home" | "gitDirectory">): Promise<(id: string) => Promise<number | undefined>> {
  const ages = await readAges(home);
  // Where the ages are lost, nothing is older than the packing.
  const packedMs = (await stat(join(gitDirectory, "packed-refs")).catch(() => undefined))?.mtimeMs;
  return async (id) => {
    const stats = await lstat(join(gitDirectory, SNAPSHOTS, id)).catch(() => undefined);
    return stats?.mtimeMs ?? ages.get(id) ?? packedMs;
  };
}

/** Forgets the ages of snapshots that are gone. */
export async function dropAges(home: string, kept: ReadonlySet<string>): Promise<void> {
  const ages = await readAges(home);
  const left = [...ages].filter(([id]) => kept.has(id));
  if (left.length === ages.size) return;
  await writeDurably(agesPath(home), `${JSON.stringify({ version: 1, ages: Object.fromEntries(left) })}\n`);
}

const AgesFile = z.strictObject({ version: z.literal(1), ages: z.record(z.string(), z.number()) });

async function readAges(home: string): Promise<ReadonlyMap<string, number>> {
  const text = await readFile(agesPath(home), "utf8").catch(() => "");
  return new Map(Object.entries(AgesFile.safeParse(tryJson(text)).data?.ages ?? {}));
}

function agesPath(home: string): string {
  return join(home, "snapshot-ages.json");
}
