import { createHash } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { SkeinError } from "../../core/index.ts";
import { lookAt, makeFolder, readJsonFile, syncFolder, writeDurably } from "../../git/index.ts";
import type { Repository } from "../../snapshot/index.ts";

const HalfRestoreFile = z.strictObject({
  version: z.literal(1),
  directory: z.string(),
  snapshotId: z.string(),
  stateId: z.string().optional(),
  undo: z.string(),
  head: z.strictObject({ stateId: z.string(), conversationId: z.string().optional() }).optional(),
  startedAt: z.string(),
});

/**
 * A restore that was begun: until it has ended, the directory may be a mix of what was there, the snapshot `undo`, and what shall be. `head`
 * is where the directory stood before, `stateId` the state that holds the snapshot it is made equal to.
 */
export type HalfRestore = Readonly<Omit<z.infer<typeof HalfRestoreFile>, "version">>;

export async function beginRestore(repository: Repository, begun: HalfRestore): Promise<void> {
  const path = placeOf(repository, begun.directory);
  const before = await readJsonFile(path, HalfRestoreFile);
  // What a restore left that was cut off is nothing to go back to.
  const { undo, head } = before ?? begun;
  await makeFolder(dirname(path));
  const file = { version: 1, ...begun, undo, head };
  await writeDurably(path, `${JSON.stringify(file)}\n`);
}

export async function endRestore(repository: Repository, directory: string): Promise<void> {
  const path = placeOf(repository, directory);
  await rm(path, { force: true });
  await syncFolder(dirname(path));
}

/** The restore of a directory that was begun and has not ended. Whoever holds the directory knows that it was cut off. */
export async function findHalfRestore(repository: Repository, directory: string): Promise<HalfRestore | undefined> {
  const file = await readJsonFile(placeOf(repository, directory), HalfRestoreFile);
  if (!file) return undefined;
  const { version: _, ...half } = file;
  return half;
}

/** Puts those that were cut off down for the directories that theirs have become. */
export async function moveHalfRestore(
  repository: Pick<Repository, "home">,
  newPath: (path: string) => string,
): Promise<void> {
  const folder = join(repository.home, "restores");
  for (const name of await readdir(folder).catch(() => [])) {
    const file = await readJsonFile(join(folder, name), HalfRestoreFile);
    if (!file || newPath(file.directory) === file.directory) continue;
    const moved = { ...file, directory: newPath(file.directory) };
    await writeDurably(placeOf(repository, moved.directory), `${JSON.stringify(moved)}\n`);
    await rm(join(folder, name), { force: true });
  }
}

export async function sweepHalfRestores({ home }: Pick<Repository, "home">): Promise<void> {
  const folder = join(home, "restores");
  for (const name of await readdir(folder).catch(() => [])) {
    const file = await readJsonFile(join(folder, name), HalfRestoreFile);
    if (file && lookAt(file.directory) === undefined) await rm(join(folder, name), { force: true });
  }
}

export function halfRestored({ directory, snapshotId, stateId }: HalfRestore): SkeinError {
  return new SkeinError(`A restore of ${directory} to ${stateId ?? snapshotId} was cut off: its files may be a mix`, {
    kind: "restore_interrupted",
    target: directory,
    hint: "skein recover --keep finishes it, skein recover --undo takes it back",
  });
}

function placeOf({ home }: Pick<Repository, "home">, directory: string): string {
  return join(home, "restores", `${createHash("sha256").update(directory).digest("hex").slice(0, 32)}.json`);
}
