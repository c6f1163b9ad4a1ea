import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { PRIVATE_FOLDER, usePrivateDirectory } from "../../core/index.ts";
import { basePlaces } from "../bases/base-folder.ts";
import type { Bases } from "../bases/bases.ts";
import {
  type BranchKind,
  type BranchOptions,
  type CarriedPath,
  copyFolder,
  type OpenedStore,
  type StoreInternals,
  type CaptureOptions,
  type Repository,
} from "../../snapshot/index.ts";
import { branchFolder, branchPlace, writeBranchRecord } from "./branch-record.ts";
import { measureFolder } from "./measure-folder.ts";
import type { ObjectReader } from "../../git/index.ts";
import { mountOverlay } from "./overlay-mount.ts";
import { mountPrivately } from "./private-overlay.ts";
import { planShow } from "../shown/plan-show.ts";
import { showBranch } from "../shown/show-branch.ts";

/** What a branch is made of, and under which name. */
export interface BranchPlace {
  readonly repository: Repository;
  /** The store that copies are written from. */
  readonly snapshots: OpenedStore;
  readonly captured: Pick<CaptureOptions, "sizeLimitBytes">;
  readonly options: Pick<BranchOptions, "quotaBytes" | "programs">;
  readonly objects: ObjectReader;
  readonly bases: Bases;
  readonly carried: readonly CarriedPath[];
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
  /** By which path an agent in it knows it: the workspace's own, or the branch's where it cannot be shown there. */
  readonly agentPath: string;
  /** Why it cannot. */
  readonly ownPathReason?: string | undefined;
  /** Lets go of what this process holds of it. */
  readonly release?: () => void;
}

/** A branch before it is shown. */
type UnshownBranch = Omit<PlacedBranch, "agentPath" | "ownPathReason">;

/** Makes the files of a branch, after the record by which they are found again. */
export async function makeBranch(place: BranchPlace, kind: BranchKind): Promise<PlacedBranch> {
  switch (kind) {
    case "overlay":
    case "private-overlay":
      return await makeOverlay(place, kind);
    case "clone":
      return await show(place, await makeClone(place));
    case "copy":
      return await show(place, await makeCopy(place));
  }
}

/** Shows a branch that everybody sees to agents at the workspace's own path. */
async function show({ repository, options }: BranchPlace, made: UnshownBranch): Promise<PlacedBranch> {
  const { path } = made;
  const plan = await planShow(repository, path, options);
  const held = typeof plan === "string" ? plan : await showBranch(plan, path).catch(reasonOf);
  if (typeof held === "string") return { ...made, agentPath: path, ownPathReason: held };
  const use = usePrivateDirectory({ path, view: path, entry: [], shown: held.shown });
  const release = (): void => {
    use[Symbol.dispose]();
    held[Symbol.dispose]();
  };
  return { ...made, agentPath: held.shown.at, release };
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll(/\s*\n\s*/gu, " ");
}

async function makeOverlay(place: BranchPlace, kind: "overlay" | "private-overlay"): Promise<PlacedBranch> {
  const { repository, objects, bases, carried, snapshotId, id, options } = place;
  const wanted = await bases.want(snapshotId, carried);
  const { key } = wanted;
  await writeBranchRecord(repository, { id, kind, base: key });
  await bases.ensure(wanted);
  const folder = branchFolder(repository, id);
  await mkdir(folder, PRIVATE_FOLDER);
  // From the folder, for the kernel gives a meaning to commas and colons in these paths.
  const overlay = { folder, lower: `../../bases/${key}/tree` };
  // What is needed of the branch is in its base already, which can be read before the branch is there.
  const isPrivate = kind === "private-overlay";
  const plan = isPrivate ? await planShow(repository, basePlaces(repository, key).tree, options) : "";
  const held = isPrivate ? await mountPrivately(overlay, typeof plan === "string" ? undefined : plan) : undefined;
  const path = held?.path ?? (await mountOverlay(overlay));
  const upper = join(folder, "upper");
  let tree: ReturnType<Bases["tree"]> | undefined;
  const layered = { directory: held?.view ?? path, upper, base: () => (tree ??= bases.tree(key)) };
  const internals = { layered, sharedObjects: objects };
  const written = (): Promise<number> => measureFolder(upper);
  const made = { kind, path, written, internals };
  if (!held) return await show(place, made);
  const release = (): void => held[Symbol.dispose]();
  const shown = held.shown ?? (plan as string);
  if (typeof shown === "string") return { ...made, agentPath: path, ownPathReason: reasonOf(shown), release };
  return { ...made, agentPath: shown.at, release };
}

async function makeCopy({
  repository,
  objects,
  snapshots,
  carried,
  snapshotId,
  id,
  options,
  captured,
}: BranchPlace): Promise<UnshownBranch> {
  await writeBranchRecord(repository, { id, kind: "copy" });
  const path = branchPlace(repository, { id, kind: "copy" });
  const carry = carried.map((folder) => folder.path);
  await snapshots.materialise(snapshotId, path, {
    origin: repository.workspace,
    carry,
    sizeLimitBytes: captured.sizeLimitBytes,
  });
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
}: BranchPlace): Promise<UnshownBranch> {
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
