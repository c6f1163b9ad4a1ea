import { createHash } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { SkeinError } from "../../core/internal.ts";
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
 * is the directory's before, `stateId` the state that holds the snapshot it is made equal to.
 */
export type HalfRestore = Readonly<Omit<z.infer<typeof HalfRestoreFile>, "version">>;

export async function beginRestore(repository: Repository, begun: HalfRestore): Promise<void> {
  const path = placeOf(repository, begun.directory);
  const before = await readJsonFile(path, HalfRestoreFile);
  // What a restore left that was cut off is nothing to go back to.
  const { undo, head } = before ?? begun;
  await makeFolder(dirname(path));
  await writeDurably(path, `${JSON.stringify({ version: 1, ...begun, undo, head })}\n`);
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
  store: Pick<Repository, "home">,
  newPath: (path: string) => string,
): Promise<void> {
  for (const [path, file] of await listHalfRestores(store)) {
    const directory = newPath(file.directory);
    if (directory === file.directory) continue;
    await writeDurably(placeOf(store, directory), `${JSON.stringify({ ...file, directory })}\n`);
    await rm(path, { force: true });
  }
}

/** Forgets the restores of directories that are gone. */
export async function sweepHalfRestores(store: Pick<Repository, "home">): Promise<void> {
  for (const [path, { directory }] of await listHalfRestores(store)) {
    if (lookAt(directory) === undefined) await rm(path, { force: true });
  }
}

async function listHalfRestores({ home }: Pick<Repository, "home">) {
  const folder = join(home, "restores");
  const paths = (await readdir(folder).catch(() => [])).map((name) => join(folder, name));
  const found = await Promise.all(
    paths.map(async (path) => [path, await readJsonFile(path, HalfRestoreFile)] as const),
  );
  return found.flatMap(([path, file]) => (file ? [[path, file] as const] : []));
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
