import { join } from "node:path";
import { type Clock, systemClock } from "../core/internal.ts";
import { takeLock } from "../database/index.ts";
import { createObjectReader, type ObjectReader, realDirectory, storageError } from "../git/index.ts";
import { type CaptureContext, createCaptureContext, type Memory } from "./capture/capture-context.ts";
import { capture } from "./capture/capture.ts";
import { RACY_MS } from "./capture/tree-node.ts";
import { diffSnapshots } from "./diff-snapshots.ts";
import { materialise } from "./materialise.ts";
import { createMemories, layerFor, type LayeredDirectory } from "./memory/memories.ts";
import { type Seed, seedFromIndex } from "./memory/seed-from-index.ts";
import { patchSnapshots } from "./patch-snapshots.ts";
import { type ChangeHooks, restore } from "./restore/restore.ts";
import { listFiles, readSnapshotFile } from "./snapshot-reader.ts";
import type { Restoration, RestoreOptions, SnapshotStore } from "./snapshot-store.ts";
import { packStore } from "./store/pack-store.ts";
import { openRepository } from "./store/repository.ts";
import { verifyStore } from "./store/verify-store.ts";
import { takeBack, type TakeBackOptions, type TakenBack } from "./take-back/take-back.ts";
import { createHeadKeeper } from "./user-git/keep-commits.ts";

interface GitSnapshotStoreOptions {
  /** The workspace that the snapshots belong to. Branches of it are captured into the same store. */
  readonly workspace: string;
  /** Skein's home; `SKEIN_HOME` or the platform's folder for user data by default. */
  readonly home?: string;
  readonly clock?: Clock;
}

/** Opens the store of a workspace's snapshots, a bare git repository below Skein's home, and makes it where there is none. */
export async function createGitSnapshotStore(options: GitSnapshotStoreOptions): Promise<SnapshotStore> {
  return await openSnapshotStore(options);
}

/** What is known of a directory that a snapshot was just written into. */
interface WrittenSeed {
  readonly snapshotId: string;
  readonly writtenMs: number;
  readonly seed: Seed;
}

export interface StoreInternals {
  /** How many files are looked at without git's help, so that tests can have none be few. */
  readonly fewFiles?: number;
  /** What another store of this process reads by, and closes; it has looked after what killed processes left. */
  readonly sharedObjects?: ObjectReader;
  /** The directory of a branch: commits that are made in it are kept in the workspace's repository. */
  readonly branch?: string | undefined;
  /** The directory whose captures look at an overlay's upper folder only. */
  readonly layered?: LayeredDirectory | undefined;
  readonly written?: { readonly directory: string; readonly seed: WrittenSeed } | undefined;
}

export interface OpenedStore extends SnapshotStore {
  /** What it reads its repository by, for whoever else reads there: each reader is a git of its own. It is closed with the store. */
  readonly objects: ObjectReader;
  /** What the store knows of a directory that it wrote, to be handed on. */
  writtenSeed(directory: string): WrittenSeed | undefined;
  restore(id: string, directory: string, options?: RestoreOptions & ChangeHooks): Promise<Restoration>;
  /** Takes back what led from one snapshot to another, and keeps what was done since. */
  takeBack(
    directory: string,
    between: { readonly before: string; readonly after: string | undefined },
    options: TakeBackOptions & ChangeHooks,
  ): Promise<TakenBack>;
}

export async function openSnapshotStore(
  options: GitSnapshotStoreOptions,
  { fewFiles = 2000, layered, written, sharedObjects, branch }: StoreInternals = {},
): Promise<OpenedStore> {
  const { clock = systemClock } = options;
  const repository = await openRepository(options.workspace, { home: options.home, clock });
  const objects = sharedObjects ?? createObjectReader(repository.gitDirectory);
  const inTurn = createTurns();
  const context = createCaptureContext(repository, { objects, clock, isSwept: sharedObjects !== undefined });
  const memories = createMemories(repository, { fewFiles, layered });
  const seeds = new Map<string, WrittenSeed>(written ? [[written.directory, written.seed]] : []);
  const keepHead = createHeadKeeper(repository, branch);
  let changes = 0;
  const remember = (directory: string, memory: Memory): void => {
    memories.set(directory, memory);
    changes += 1;
    // After the answer, and before the next turn; it cannot fail.
    if (changes % CHANGES_BETWEEN_PACKS === 0) void inTurn(() => packStore(repository, clock));
  };
  const changing: DirectoryChange = (directory, signal, work) =>
    inTurn(async () => {
      const key = await openDirectory(directory);
      await using _ = await takeLock(join(repository.home, "restore.lock"), { clock, signal });
      const done = await work({ directory: key, memory: await memories.get(key) });
      remember(key, done.memory);
      return done;
    });
  const close = (): Promise<void> =>
    inTurn(async () => {
      await memories.save();
      await packStore(repository, clock);
      if (!sharedObjects) await objects.close();
    });
  return {
    objects,
    capture: (directory, captureOptions = {}) =>
      inTurn(async () => {
        const key = await openDirectory(directory);
        const memory = await memories.get(key);
        const layer = await layerFor(layered, key, captureOptions);
        const known = findKnown(seeds, context, { directory: key, memory });
        const request = { directory: key, options: captureOptions, memory, layer, known };
        const taken = await capture(context, request);
        remember(key, taken.memory);
        await keepHead(key, { before: memory?.git?.state.head, now: taken.snapshot.git?.head });
        return taken.snapshot;
      }),
    ...changesAndReads(context, changing),
    async materialise(id, directory, { origin = repository.workspace, ...how } = {}) {
      const { git, settled } = await materialise({ repository, objects }, { id, directory, origin, ...how });
      const writtenMs = clock.now();
      if (settled) seeds.set(await openDirectory(directory), { snapshotId: id, writtenMs, seed: settled.seed });
      return { git };
    },
    verify: () => verifyStore(repository),
    writtenSeed: (directory) => seeds.get(directory),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Changes a directory, one process at a time, by what is remembered of it; what is then known of it is remembered. */
type DirectoryChange = <T extends { readonly memory: Memory }>(
  directory: string,
  signal: AbortSignal | undefined,
  work: (place: { readonly directory: string; readonly memory: Memory | undefined }) => Promise<T>,
) => Promise<T>;

function changesAndReads(
  context: CaptureContext,
  changing: DirectoryChange,
): Pick<OpenedStore, "restore" | "takeBack" | "diff" | "files" | "read" | "patch"> {
  return {
    async restore(id, directory, options = {}) {
      const work = changing(directory, options.signal, (place) => restore(context, { ...place, id, options }));
      return (await work).restoration;
    },
    async takeBack(directory, between, options) {
      const request = { ...between, options };
      const work = changing(directory, options.signal, (place) => takeBack(context, { ...place, ...request }));
      return (await work).takenBack;
    },
    diff: (from, to) => diffSnapshots(context, from, to),
    files: (id) => listFiles(context, id),
    read: (id, path) => readSnapshotFile(context, id, path),
    patch: (from, to, path) => patchSnapshots(context, [from, to], path),
  };
}

/** What is known of files without reading them: where they were just written, and where nothing is remembered of them. */
async function findKnown(
  seeds: Map<string, WrittenSeed>,
  context: CaptureContext,
  { directory, memory }: { readonly directory: string; readonly memory: Memory | undefined },
): Promise<Seed | undefined> {
  const written = await useSeed(seeds, directory, context);
  return written ?? (memory ? undefined : await seedFromIndex(context.repository, directory));
}

/** Kept for as long as a file counts as young, and would otherwise be read by every capture. */
async function useSeed(seeds: Map<string, WrittenSeed>, directory: string, { objects, clock }: CaptureContext) {
  const written = seeds.get(directory);
  if (!written) return undefined;
  if (clock.now() > written.writtenMs + RACY_MS) seeds.delete(directory);
  // Files that are not read must be in the store, which they are as long as that snapshot is.
  return (await objects.info(written.snapshotId)) ? written.seed : undefined;
}

/** Each may write a pack, and so may other processes. */
const CHANGES_BETWEEN_PACKS = 50;

function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work, work);
    last = mine.catch(() => undefined);
    return mine;
  };
}

async function openDirectory(directory: string): Promise<string> {
  return await realDirectory(directory).catch((cause: unknown) => {
    throw storageError("The directory cannot be opened", directory, cause);
  });
}
