import { realpath } from "node:fs/promises";
import { ResourceExhaustionError, type Clock } from "../../core/index.ts";
import { createBases, type Bases } from "../bases/bases.ts";
import {
  type BranchKind,
  type BranchOptions,
  SIZE_LIMIT_BYTES,
  createCaptureContext,
  findCarried,
  type OpenedStore,
  type Repository,
  type CaptureOptions,
} from "../../snapshot/index.ts";
import { branchFolder, isOverlay } from "./branch-record.ts";
import { detectBranchKind } from "./detect-branch-kind.ts";
import { makeBranch, type PlacedBranch } from "./make-branch.ts";
import { createObjectReader, storageError } from "../../git/index.ts";
import { removeBranch, sweepBranches } from "./sweep-branches.ts";

/** The folder of a branch, made below Skein's home. */
export interface MadeBranch extends Omit<PlacedBranch, "release"> {
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
  let isTold = false;
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
      const carried = await findCarried(repository, options, captured.sizeLimitBytes ?? SIZE_LIMIT_BYTES);
      const place = { ...context, repository, objects, bases, carried, snapshotId, id };
      try {
        const { release, ...made } = await makeBranch(place, chosen);
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
    close: () => objects.close(),
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
    hint: "Close some, or raise maxBranches",
  });
}
