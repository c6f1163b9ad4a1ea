import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { PRIVATE_FOLDER } from "../core/index.ts";
import { basePlaces } from "./base-folder.ts";
import type { Bases } from "./bases.ts";
import type { BranchKind, BranchOptions } from "./branch-options.ts";
import { branchFolder, branchPlace, writeBranchRecord } from "./branch-record.ts";
import type { CarriedFolder } from "./carried-folders.ts";
import { copyFolder } from "./copy-folder.ts";
import type { OpenedStore, StoreInternals } from "./git-snapshot-store.ts";
import { measureFolder } from "./measure-folder.ts";
import type { ObjectReader } from "./object-reader.ts";
import { mountOverlay } from "./overlay-mount.ts";
import { mountPrivately } from "./private-overlay.ts";
import type { Repository } from "./repository.ts";

/** What a branch is made of, and under which name. */
export interface BranchPlace {
  readonly repository: Repository;
  /** The store that copies are written from. */
  readonly snapshots: OpenedStore;
  readonly options: Pick<BranchOptions, "quotaBytes">;
  readonly objects: ObjectReader;
  readonly bases: Bases;
  readonly carried: readonly CarriedFolder[];
  readonly snapshotId: string;
  readonly id: string;
}

/** The files of a branch, in their place. */
export interface PlacedBranch {
  readonly kind: BranchKind;
  /** Where its files are. */
  readonly path: string;
  /** How much of the disk it takes beside what it was made with. */
  written(): Promise<number>;
  /** What its store is opened with, so that its captures cost what they find. */
  readonly internals: StoreInternals;
  /** Lets go of what this process holds of it. */
  readonly release?: () => void;
}

/** Makes the files of a branch, after the record by which they are found again. */
export async function makeBranch(place: BranchPlace, kind: BranchKind): Promise<PlacedBranch> {
  switch (kind) {
    case "overlay":
    case "private-overlay":
      return await makeOverlay(place, kind);
    case "clone":
      return await makeClone(place);
    case "copy":
      return await makeCopy(place);
  }
}

async function makeOverlay(
  { repository, objects, bases, carried, snapshotId, id }: BranchPlace,
  kind: "overlay" | "private-overlay",
): Promise<PlacedBranch> {
  const wanted = await bases.want(snapshotId, carried);
  const { key } = wanted;
  await writeBranchRecord(repository, { id, kind, base: key });
  await bases.ensure(wanted);
  const folder = branchFolder(repository, id);
  await mkdir(folder, PRIVATE_FOLDER);
  // From the folder, for the kernel gives a meaning to commas and colons in these paths.
  const overlay = { folder, lower: `../../bases/${key}/tree` };
  const held = kind === "private-overlay" ? await mountPrivately(overlay) : undefined;
  const path = held?.path ?? (await mountOverlay(overlay));
  const upper = join(folder, "upper");
  let tree: ReturnType<Bases["tree"]> | undefined;
  const layered = { directory: held?.view ?? path, upper, base: () => (tree ??= bases.tree(key)) };
  const internals = { layered, sharedObjects: objects };
  const written = (): Promise<number> => measureFolder(upper);
  return { kind, path, written, internals, ...(held ? { release: () => held[Symbol.dispose]() } : {}) };
}

async function makeCopy({
  repository,
  objects,
  snapshots,
  carried,
  snapshotId,
  id,
  options,
}: BranchPlace): Promise<PlacedBranch> {
  await writeBranchRecord(repository, { id, kind: "copy" });
  const path = branchPlace(repository, { id, kind: "copy" });
  const carry = carried.map((folder) => folder.path);
  await snapshots.materialise(snapshotId, path, { origin: repository.workspace, carry });
  const seed = snapshots.writtenSeed(path);
  return {
    kind: "copy",
    path,
    written: await createGrowth(path, options),
    internals: { sharedObjects: objects, ...(seed ? { written: { directory: path, seed } } : {}) },
  };
}

async function makeClone({
  repository,
  objects,
  bases,
  carried,
  snapshotId,
  id,
  options,
}: BranchPlace): Promise<PlacedBranch> {
  const wanted = await bases.want(snapshotId, carried);
  await writeBranchRecord(repository, { id, kind: "clone", base: wanted.key });
  await bases.ensure(wanted);
  const path = branchPlace(repository, { id, kind: "clone" });
  await copyFolder(basePlaces(repository, wanted.key).tree, path);
  return { kind: "clone", path, written: await createGrowth(path, options), internals: { sharedObjects: objects } };
}

/** Measures by how much a folder has grown since now; not where nobody will ask. */
async function createGrowth(path: string, { quotaBytes }: BranchPlace["options"]): Promise<() => Promise<number>> {
  const madeBytes = quotaBytes === undefined ? 0 : await measureFolder(path);
  return async () => (await measureFolder(path)) - madeBytes;
}
