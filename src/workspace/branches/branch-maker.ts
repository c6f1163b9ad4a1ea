import { mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import {
  type Clock,
  defined,
  PRIVATE_FOLDER,
  ResourceExhaustionError,
  usePrivateDirectory,
} from "../../core/internal.ts";
import { type ObjectReader, storageError } from "../../git/index.ts";
import {
  type CaptureOptions,
  type CarriedPath,
  copyFolder,
  createCaptureContext,
  findCarried,
  type OpenedStore,
  type Repository,
  SIZE_LIMIT_BYTES,
  type StoreInternals,
} from "../../snapshot/index.ts";
import { basePlaces, type Bases, createBases } from "./bases.ts";
import type { BranchKind, BranchOptions } from "./branch-options.ts";
import { measureFolder } from "./branch-quota.ts";
import { branchFolder, branchPlace, isOverlay, writeBranchRecord } from "./branch-record.ts";
import { detectBranchKind, reasonOf } from "./detect-branch-kind.ts";
import { mountOverlay, mountPrivately } from "./overlay.ts";
import { planShow, showBranch } from "./show-branch.ts";
import { removeBranch, sweepBranches } from "./sweep-branches.ts";

export interface MadeBranch extends Omit<ShownBranch, "release"> {
  /** Takes away all of it but its states. A second call does nothing. */
  remove(): Promise<void>;
}

/** Makes branches of a workspace, each of the best kind that works here. */
export type BranchMaker = ReturnType<typeof createBranchMaker>;

interface BranchMakerContext {
  readonly repository: Repository;
  readonly snapshots: OpenedStore;
  readonly clock: Clock;
  readonly captured: Pick<CaptureOptions, "include" | "sizeLimitBytes">;
  readonly options: BranchOptions;
}

/** Makes the maker of a workspace's branches; branches of its branches are made by it too. */
export function createBranchMaker(context: BranchMakerContext) {
  const { clock, captured, options } = context;
  // The store's, for all branches and for the bases: to start a git takes longer than to make a branch.
  const { objects } = context.snapshots;
  let kind: Promise<BranchKind> | undefined;
  let bases: Bases | undefined;
  let isTold = false;
  return {
    async make(snapshotId: string, id: string): Promise<MadeBranch> {
      // Mounts are known by their real paths.
      const repository = { ...context.repository, home: await realpath(context.repository.home) };
      const capturing = createCaptureContext(repository, { objects, clock, isSwept: true });
      bases ??= createBases({ context: capturing, captured, limits: options });
      // Before the branches are counted, for the trial is one too.
      const chosen = await (kind ??= options.kind ? Promise.resolve(options.kind) : detectKind(repository, options));
      await checkCount(repository, options.maxBranches);
      const carried = await findCarried(repository, options, captured.sizeLimitBytes ?? SIZE_LIMIT_BYTES);
      const plan = { ...context, repository, objects, bases, carried, snapshotId, id };
      try {
        const { release, ...made } = await makeBranch(plan, chosen);
        const remove = async (): Promise<void> => {
          release?.();
          await removeBranch(repository, id);
        };
        if (made.ownPathReason !== undefined && !isTold) options.onOwnPath?.(made.ownPathReason);
        isTold ||= made.ownPathReason !== undefined;
        return { ...made, remove };
      } catch (cause) {
        await removeBranch(repository, id).catch(() => undefined);
        throw storageError("The branch cannot be created", branchFolder(repository, id), cause);
      }
    },
    async close(): Promise<void> {
      await bases?.close();
    },
  };
}

async function detectKind(repository: Repository, { onCopies }: BranchOptions): Promise<BranchKind> {
  const { kind, reasons } = await detectBranchKind(repository);
  if (!isOverlay(kind)) onCopies?.(reasons);
  return kind;
}

async function checkCount(repository: Repository, maxBranches = 64): Promise<void> {
  const count = await sweepBranches(repository);
  if (count < maxBranches) return;
  throw new ResourceExhaustionError(`There are already ${count} branches of ${repository.workspace}`, {
    resource: "branches",
    target: repository.workspace,
    hint: "Close some, or raise `maxBranches`",
  });
}

interface BranchPlan extends BranchMakerContext {
  readonly objects: ObjectReader;
  readonly bases: Bases;
  readonly carried: readonly CarriedPath[];
  readonly snapshotId: string;
  readonly id: string;
}

interface UnshownBranch {
  readonly kind: BranchKind;
  readonly path: string;
  /** How much of the disk it takes beside what it was made with. */
  written(): Promise<number>;
  /** What its store is opened with, so that its captures cost what they find. */
  readonly internals: StoreInternals;
  readonly release?: () => void;
}

interface ShownBranch extends UnshownBranch {
  /** By which path an agent in it knows it: the workspace's own, or the branch's where it cannot be shown there. */
  readonly agentPath: string;
  readonly ownPathReason?: string | undefined;
}

/** Makes the files of a branch, after the record by which they are found again. */
async function makeBranch(plan: BranchPlan, kind: BranchKind): Promise<ShownBranch> {
  if (isOverlay(kind)) return await makeOverlay(plan, kind);
  return await show(plan, kind === "clone" ? await makeClone(plan) : await makeCopy(plan));
}

/** Shows a branch that everybody sees to agents at the workspace's own path. */
async function show({ repository, options }: BranchPlan, made: UnshownBranch): Promise<ShownBranch> {
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

async function makeOverlay(place: BranchPlan, kind: "overlay" | "private-overlay"): Promise<ShownBranch> {
  const { repository, objects, bases, id, options } = place;
  const key = await wantBase(place, kind);
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

async function makeCopy(place: BranchPlan): Promise<UnshownBranch> {
  const { repository, snapshots, snapshotId, id } = place;
  await writeBranchRecord(repository, { id, kind: "copy" });
  const path = branchPlace(repository, { id, kind: "copy" });
  const carry = place.carried.map((folder) => folder.path);
  const how = { origin: repository.workspace, carry, sizeLimitBytes: place.captured.sizeLimitBytes };
  await snapshots.materialise(snapshotId, path, how);
  const seed = snapshots.writtenSeed(path);
  const written = seed && { directory: path, seed };
  const internals = { sharedObjects: place.objects, ...defined({ written }) };
  return { kind: "copy", path, written: await createGrowth(path, place.options), internals };
}

async function makeClone(place: BranchPlan): Promise<UnshownBranch> {
  const { repository, objects, id } = place;
  const key = await wantBase(place, "clone");
  const path = branchPlace(repository, { id, kind: "clone" });
  await copyFolder(basePlaces(repository, key).tree, path);
  const written = await createGrowth(path, place.options);
  return { kind: "clone", path, written, internals: { sharedObjects: objects } };
}

/** Puts down a branch that needs a base, and has the base made where there is none. */
async function wantBase(plan: BranchPlan, kind: BranchKind): Promise<string> {
  const { repository, bases, snapshotId, carried, id } = plan;
  const wanted = await bases.want(snapshotId, carried);
  await writeBranchRecord(repository, { id, kind, base: wanted.key });
  await bases.ensure(wanted);
  return wanted.key;
}

/** Measures by how much a folder has grown since now; not where nobody will ask. */
async function createGrowth(path: string, { quotaBytes }: BranchOptions): Promise<() => Promise<number>> {
  const madeBytes = quotaBytes === undefined ? 0 : await measureFolder(path);
  return async () => (await measureFolder(path)) - madeBytes;
}
