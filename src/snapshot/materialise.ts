import { mkdirSync } from "node:fs";
import { lstat, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createId, systemClock } from "../core/internal.ts";
import {
  type BytePath,
  chmodFolder,
  emptyDirectory,
  type ObjectReader,
  storageError,
  toBytePath,
  toSystemPath,
} from "../git/index.ts";
import { isSameStat, type StatKey, statKey } from "./capture/tree-node.ts";
import { carryPaths } from "./carry-paths.ts";
import { type Listing, listSnapshot } from "./listing.ts";
import type { Seed } from "./memory/seed-from-index.ts";
import { writeStoredFile } from "./restore/apply-listing.ts";
import type { SnapshotReader } from "./snapshot-reader.ts";
import type { Materialisation, MaterialiseOptions } from "./snapshot-store.ts";
import { lendRepository } from "./user-git/lend-repository.ts";

/** Writes a snapshot into an empty directory: its files, and a repository that stands where the user's stood. */
export async function materialise(
  context: SnapshotReader,
  request: MaterialiseOptions & Readonly<Record<"id" | "directory" | "origin", string>>,
): Promise<Materialisation & { readonly seed?: Seed }> {
  const { id, directory, origin, carry = [], sizeLimitBytes, signal } = request;
  const listing = await listSnapshot(context, id);
  const root = await emptyDirectory(directory);
  try {
    const written = await writeFreshTree(context.objects, toBytePath(root), { listing, signal });
    const from = await realpath(origin);
    const git = await lendRepository(context, { listing, root, origin: from });
    await carryPaths(context.repository, carry, { from, to: root, sizeLimitBytes, signal });
    const changedMs = [...written.values()].map(({ stat }) => Math.max(stat.ctimeMs, stat.mtimeMs));
    // Otherwise a change right after would not show in a file's times.
    if (
      !(await settleTimes(
        root,
        changedMs.reduce((left, right) => Math.max(left, right), 0),
      ))
    )
      return { git };
    const seed: Seed = ({ path, stats }) => {
      const file = written.get(path);
      return file && isSameStat(file.stat, stats) ? file.oid : undefined;
    };
    return { git, seed };
  } catch (cause) {
    signal?.throwIfAborted();
    throw storageError("The snapshot could not be written", directory, cause);
  }
}

/** Nothing can be lost here, so each file is written in its place. Gives how each looked right after. */
async function writeFreshTree(
  objects: ObjectReader,
  root: BytePath,
  { listing, signal }: { readonly listing: Listing; readonly signal: AbortSignal | undefined },
) {
  const written = new Map<BytePath, { readonly oid: string; readonly stat: StatKey }>();
  const folders = [...listing.folders].toSorted(([left], [right]) => (left < right ? -1 : 1));
  for (const [path] of folders) mkdirSync(toSystemPath(`${root}/${path}`), 0o700);
  const files = [...listing.files];
  const ahead: Promise<Buffer | undefined>[] = [];
  for (const [index, [path, state]] of files.entries()) {
    for (const [, { contentId = "" }] of files.slice(index + ahead.length, index + READ_AHEAD)) {
      const reading = objects.fileContent(contentId);
      // Heard when its turn comes, which it does not where another fails before.
      reading.catch(() => undefined);
      ahead.push(reading);
    }
    signal?.throwIfAborted();
    const content = await ahead.shift();
    const stats = await writeStoredFile(toSystemPath(`${root}/${path}`), { state, content, objects });
    written.set(path, { oid: state.contentId ?? "", stat: statKey(stats) });
  }
  for (const [path, mode] of folders.toReversed()) chmodFolder(toSystemPath(`${root}/${path}`), mode);
  return written;
}

const READ_AHEAD = 16;

/** A file system with a clock so coarse that this is not enough is not waited for. */
const PATIENCE_MS = 100;

/** Waits until any further change gets a later time than those up to a moment, and so shows; false where that takes long. */
async function settleTimes(folder: string, untilMs: number): Promise<boolean> {
  const probe = join(folder, `.skein-${createId()}`);
  const giveUpMs = systemClock.now() + PATIENCE_MS;
  try {
    for (;;) {
      await writeFile(probe, `${systemClock.now()}`);
      if ((await lstat(probe)).ctimeMs > untilMs) return true;
      if (systemClock.now() > giveUpMs) return false;
      await systemClock.sleep(1);
    }
  } finally {
    await rm(probe, { force: true });
  }
}
