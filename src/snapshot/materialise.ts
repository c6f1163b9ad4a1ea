import { lstat, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createId, defined, systemClock } from "../core/internal.ts";
import { type BytePath, emptyDirectory, storageError } from "../git/index.ts";
import { type FileNode, isSameStat } from "./capture/tree-node.ts";
import { carryPaths } from "./carry-paths.ts";
import { listSnapshot } from "./listing.ts";
import type { Seed } from "./memory/seed-from-index.ts";
import type { SnapshotReader } from "./snapshot-reader.ts";
import type { Materialisation, MaterialiseOptions } from "./snapshot-store.ts";
import { lendRepository } from "./user-git/lend-repository.ts";
import { nodeOf, writeFreshTree, type WrittenFile } from "./write-fresh-tree.ts";

/** What is known of a directory that was just written, as long as any further change would show in a file's times. */
interface SettledTree {
  readonly seed: Seed;
  /** The files as a capture would find them, where nobody else has come to the directory. */
  readonly found: WrittenFiles;
}

export type WrittenFiles = ReadonlyMap<BytePath, FileNode>;

/** Writes a snapshot into an empty directory: its files, and a repository that stands where the user's stood. */
export async function materialise(
  context: SnapshotReader,
  request: MaterialiseOptions & Readonly<Record<"id" | "directory" | "origin", string>>,
): Promise<Materialisation & { readonly settled?: SettledTree }> {
  const { id, directory, origin, carry = [], sizeLimitBytes, signal } = request;
  const listing = await listSnapshot(context, id);
  const root = await emptyDirectory(directory);
  try {
    const from = await realpath(origin);
    const [written, lent] = await both(
      writeFreshTree(context, root, { listing, signal }),
      lendRepository(context, { listing, root, origin: from }),
    );
    await lent?.writeIndex(({ path, oid, stage }) => {
      const file = stage === "0" ? written.get(path) : undefined;
      return file?.state.contentId === oid ? file.look : undefined;
    });
    await carryPaths(context.repository, carry, { from, to: root, sizeLimitBytes, signal });
    const settled = await settle(root, written);
    return { git: lent ? "restored" : "absent", ...defined({ settled }) };
  } catch (cause) {
    signal?.throwIfAborted();
    throw storageError("The snapshot could not be written", directory, cause);
  }
}

/** Nothing goes on where one of two has failed: who is told of it may remove what was written. */
async function both<A, B>(first: Promise<A>, second: Promise<B>): Promise<readonly [A, B]> {
  await Promise.allSettled([first, second]);
  return await Promise.all([first, second]);
}

async function settle(root: string, written: ReadonlyMap<BytePath, WrittenFile>): Promise<SettledTree | undefined> {
  const found = new Map(Array.from(written, ([path, file]) => [path, nodeOf(file)]));
  let changedMs = 0;
  for (const { stat } of found.values()) changedMs = Math.max(changedMs, stat.ctimeMs, stat.mtimeMs);
  // Otherwise a change right after would not show in a file's times.
  if (!(await settleTimes(root, changedMs))) return undefined;
  const contentOf: Seed["contentOf"] = ({ path, look }) => {
    const file = found.get(path);
    return file && isSameStat(file.stat, look.stat) ? file.oid : undefined;
  };
  return { seed: { contentOf }, found };
}

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
