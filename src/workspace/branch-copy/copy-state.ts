import type { OpenedStore, StoreInternals, Repository } from "../../snapshot/index.ts";
import { beginCopy, type BegunCopy } from "./half-copies.ts";

/** A snapshot that is copied into a directory. */
export interface CopyRequest {
  readonly repository: Repository;
  readonly snapshots: OpenedStore;
  readonly snapshotId: string;
  /** Empty, or not there yet. */
  readonly directory: string;
  readonly branch: string;
  /** The workspace whose repository is borrowed. */
  readonly origin: string;
}

/** A copy that is whole, and has to be put in its place once it is known as a branch. */
export interface Copied {
  readonly path: string;
  readonly copy: BegunCopy;
  readonly internals: StoreInternals;
}

/** Copies a snapshot; where that fails, nothing is left. */
export async function copyState({ repository, snapshots, ...request }: CopyRequest): Promise<Copied> {
  const { snapshotId, directory, branch, origin } = request;
  const copy = await beginCopy(repository, directory, branch);
  try {
    await snapshots.materialise(snapshotId, copy.half, { origin });
  } catch (error) {
    await copy.remove();
    throw error;
  }
  const seed = snapshots.writtenSeed(copy.half);
  return { path: copy.directory, copy, internals: seed ? { written: { directory: copy.directory, seed } } : {} };
}
