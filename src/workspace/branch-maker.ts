import { mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { ResourceExhaustionError, type Clock } from "../core/index.ts";
import { createBases, type Bases } from "./bases.ts";
import type { BranchKind, BranchOptions } from "./branch-options.ts";
import { branchFolder, branchPlace, writeBranchRecord } from "./branch-record.ts";
import { createCaptureContext } from "./capture-context.ts";
import { findCarried, type CarriedFolder } from "./carried-folders.ts";
import { detectBranchKind } from "./detect-branch-kind.ts";
import type { OpenedStore, StoreInternals } from "./git-snapshot-store.ts";
import { mountOverlay } from "./overlay-mount.ts";
import { createObjectReader, type ObjectReader } from "./object-reader.ts";
import { mountPrivately } from "./private-overlay.ts";
import type { Repository } from "./repository.ts";
import type { CaptureOptions } from "./snapshot-store.ts";
import { storageError } from "./storage-error.ts";
import { removeBranch, sweepBranches } from "./sweep-branches.ts";

/** The folder of a branch, made below Skein's home. */
export interface MadeBranch {
  readonly kind: BranchKind;
  /** Where its files are. */
  readonly path: string;
  /** The overlay's upper folder, which holds all that was changed; none for a copy. */
  readonly upper?: string;
  /** What its store is opened with, so that its captures cost what they find. */
  readonly internals: StoreInternals;
  /** Takes away all of it but its states. A second call does nothing. */
  remove(): Promise<void>;
}

/** Makes branches of a workspace, each of the best kind that works here. */
export interface BranchMaker {
  make(snapshotId: string, id: string): Promise<MadeBranch>;
  close(): Promise<void>;
}

/** What branches are made with. */
export interface BranchMakerContext {
  readonly repository: Repository;
  /** The store that copies are written from. */
  readonly snapshots: OpenedStore;
  readonly clock: Clock;
  readonly captured: Pick<CaptureOptions, "include" | "sizeLimitBytes">;
  readonly options: BranchOptions;
}

/** Makes the maker of a workspace's branches; branches of its branches are made by it too. */
export function createBranchMaker(context: BranchMakerContext): BranchMaker {
  const { clock, captured, options } = context;
  // One for all branches, and for the bases: to start a git takes longer than to make a branch.
  const objects = createObjectReader(context.repository.gitDirectory);
  let kind: Promise<BranchKind> | undefined;
  let bases: Bases | undefined;
  return {
    async make(snapshotId, id) {
      // Mounts are known by their real paths.
      const repository = { ...context.repository, home: await realpath(context.repository.home) };
      bases ??= createBases({
        context: createCaptureContext(repository, { objects, clock, isSwept: true }),
        captured,
        limits: options,
      });
      // Before the branches are counted, for the trial is one too.
      const chosen = await (kind ??= options.kind ? Promise.resolve(options.kind) : detectKind(repository, options));
      await checkCount(repository, options.maxBranches);
      const carried = await findCarried(repository, options.carry);
      const place = { ...context, repository, objects, bases, carried, snapshotId, id };
      try {
        const { release, ...made } = await makeOfKind(place, chosen);
        const remove = async (): Promise<void> => {
          release?.();
          await removeBranch(repository, id);
        };
        return { ...made, remove };
      } catch (cause) {
        await removeBranch(repository, id).catch(() => undefined);
        throw storageError("The branch cannot be made", branchFolder(repository, id), cause);
      }
    },
    close: () => objects.close(),
  };
}

async function detectKind(repository: Repository, { onCopies }: BranchOptions): Promise<BranchKind> {
  const { kind, reasons } = await detectBranchKind(repository);
  if (kind === "copy") onCopies?.(reasons);
  return kind;
}

async function checkCount(repository: Repository, maxBranches = 64): Promise<void> {
  const count = await sweepBranches(repository);
  if (count < maxBranches) return;
  throw new ResourceExhaustionError(`There are ${count} branches of ${repository.workspace} already`, {
    resource: "branches",
    target: repository.workspace,
    hint: "Close some, or raise maxBranches",
  });
}

interface BranchPlace extends BranchMakerContext {
  readonly objects: ObjectReader;
  readonly bases: Bases;
  readonly carried: readonly CarriedFolder[];
  readonly snapshotId: string;
  readonly id: string;
}

interface BranchPlaced extends Omit<MadeBranch, "remove"> {
  /** Lets go of what this process holds of it. */
  readonly release?: () => void;
}

async function makeOfKind(place: BranchPlace, kind: BranchKind): Promise<BranchPlaced> {
  return kind === "copy" ? await makeCopy(place) : await makeOverlay(place, kind);
}

async function makeOverlay(
  { repository, objects, bases, carried, snapshotId, id }: BranchPlace,
  kind: "overlay" | "private-overlay",
): Promise<BranchPlaced> {
  const wanted = await bases.want(snapshotId, carried);
  const { key } = wanted;
  await writeBranchRecord(repository, { id, kind, base: key });
  await bases.ensure(wanted);
  const folder = branchFolder(repository, id);
  await mkdir(folder, { recursive: true });
  // From the folder, for the kernel gives a meaning to commas and colons in these paths.
  const overlay = { folder, lower: `../../bases/${key}/tree` };
  const held = kind === "private-overlay" ? await mountPrivately(overlay) : undefined;
  const path = held?.path ?? (await mountOverlay(overlay));
  const upper = join(folder, "upper");
  let tree: ReturnType<Bases["tree"]> | undefined;
  const layered = { directory: held?.view ?? path, upper, base: () => (tree ??= bases.tree(key)) };
  const internals = { layered, sharedObjects: objects };
  return { kind, path, upper, internals, ...(held ? { release: () => held[Symbol.dispose]() } : {}) };
}

async function makeCopy({
  repository,
  objects,
  snapshots,
  carried,
  snapshotId,
  id,
}: BranchPlace): Promise<BranchPlaced> {
  await writeBranchRecord(repository, { id, kind: "copy" });
  const path = branchPlace(repository, { id, kind: "copy" });
  const carry = carried.map((folder) => folder.path);
  await snapshots.materialise(snapshotId, path, { origin: repository.workspace, carry });
  const seed = snapshots.writtenSeed(path);
  return {
    kind: "copy",
    path,
    internals: { sharedObjects: objects, ...(seed ? { written: { directory: path, seed } } : {}) },
  };
}
