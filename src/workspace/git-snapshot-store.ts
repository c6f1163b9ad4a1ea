import { mkdir, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { SkeinError, systemClock, type Clock } from "../core/index.ts";
import { applyListing } from "./apply-listing.ts";
import { toBytePath } from "./byte-path.ts";
import { capture, type CaptureContext } from "./capture.ts";
import { diffSnapshots } from "./diff-snapshots.ts";
import { listSnapshot } from "./list-snapshot.ts";
import { EMPTY_LISTING } from "./listing.ts";
import { takeLock } from "./lock-file.ts";
import { createMemories } from "./memories.ts";
import { createObjectReader } from "./object-reader.ts";
import { patchSnapshots } from "./patch-snapshots.ts";
import { readSnapshotFile } from "./read-snapshot-file.ts";
import { openRepository } from "./repository.ts";
import { restore } from "./restore.ts";
import { seedFromIndex } from "./seed-from-index.ts";
import type { SnapshotStore } from "./snapshot-store.ts";
import { storageError } from "./storage-error.ts";
import { sweepRemains } from "./sweep-remains.ts";
import { verifyStore } from "./verify-store.ts";

/** What a store of snapshots is made of. */
export interface GitSnapshotStoreOptions {
  /** The workspace that the snapshots belong to. Branches of it are captured into the same store. */
  readonly workspace: string;
  /** Skein's home; `SKEIN_HOME` or the platform's folder for user data by default. */
  readonly home?: string;
  readonly clock?: Clock;
}

/** Opens the store of a workspace's snapshots, a bare git repository below Skein's home, and makes it where there is none. */
export async function createGitSnapshotStore(options: GitSnapshotStoreOptions): Promise<SnapshotStore> {
  const { clock = systemClock } = options;
  const repository = await openRepository(options.workspace, { home: options.home, clock });
  const objects = createObjectReader(repository.gitDirectory);
  const reader = { gitDirectory: repository.gitDirectory, objects };
  const inTurn = createTurns();
  let isSwept = false;
  const context: CaptureContext = {
    repository,
    objects,
    clock,
    async lock() {
      const lock = await takeLock(join(repository.home, "write.lock"), { clock });
      if (lock.tookOver || !isSwept) await sweepRemains(repository, clock.now());
      isSwept = true;
      return lock;
    },
  };
  const memories = createMemories(repository);
  const close = (): Promise<void> =>
    inTurn(async () => {
      await memories.save();
      await objects.close();
    });
  return {
    capture: (directory, captureOptions = {}) =>
      inTurn(async () => {
        const key = await realDirectory(directory);
        const memory = await memories.get(key);
        const known = memory === undefined ? await seedFromIndex(repository, key) : undefined;
        const request = { directory: key, options: captureOptions, memory, ...(known ? { known } : {}) };
        const taken = await capture(context, request);
        await memories.set(key, taken.memory);
        return taken.snapshot;
      }),
    restore: (id, directory, restoreOptions = {}) =>
      inTurn(async () => {
        const key = await realDirectory(directory);
        await using _ = await takeLock(join(repository.home, "restore.lock"), { clock, signal: restoreOptions.signal });
        const memory = await memories.get(key);
        const done = await restore(context, { id, directory: key, options: restoreOptions, memory });
        await memories.set(key, done.memory);
        return done.restoration;
      }),
    diff: (from, to) => diffSnapshots(reader, from, to),
    read: (id, path) => readSnapshotFile(reader, id, path),
    async materialise(id, directory) {
      const to = await listSnapshot(reader, id);
      const root = toBytePath(await emptyDirectory(directory));
      await applyListing({ root, from: EMPTY_LISTING, to, objects }).catch((cause: unknown) => {
        throw storageError("The snapshot could not be written", directory, cause);
      });
    },
    patch: (from, to, path) => patchSnapshots(reader, { from, to, path }),
    verify: () => verifyStore(repository),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Runs pieces of work one after the other, in the order in which they were given. */
function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work, work);
    last = mine.catch(() => undefined);
    return mine;
  };
}

async function realDirectory(directory: string): Promise<string> {
  return await realpath(directory).catch((cause: unknown) => {
    throw storageError("The directory cannot be opened", directory, cause);
  });
}

async function emptyDirectory(directory: string): Promise<string> {
  try {
    await mkdir(directory, { recursive: true });
    if ((await readdir(directory)).length === 0) return await realpath(directory);
  } catch (cause) {
    throw storageError("The directory cannot be made", directory, cause);
  }
  throw new SkeinError(`${directory} is not empty`, {
    kind: "usage",
    target: directory,
    hint: "Give an empty directory, or restore to change one that holds files",
  });
}
