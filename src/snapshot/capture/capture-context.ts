import { join } from "node:path";
import type { Clock } from "../../core/internal.ts";
import { type HeldLock, takeLock } from "../../database/index.ts";
import type { Shadow } from "../memory/shadow.ts";
import type { SnapshotReader } from "../snapshot-reader.ts";
import type { Repository } from "../store/repository.ts";
import { sweepRemains } from "../store/sweep-remains.ts";
import type { GitPart } from "../user-git/git-state.ts";
import type { FolderNode } from "./tree-node.ts";

export interface CaptureContext extends SnapshotReader {
  readonly clock: Clock;
  lock(): Promise<HeldLock>;
}

/** What is remembered of a directory between captures. */
export interface Memory {
  readonly root: FolderNode;
  readonly id: string;
  /** The rules for the whole tree under which it was read. */
  readonly rulesKey: string;
  readonly git: GitPart | undefined;
  /** An index by which git can tell what has changed since the tree, or an older one, was read. */
  readonly shadow: Shadow | undefined;
  /** How many files had to be looked at one by one. */
  readonly looked: number;
}

/** What a killed process left half written is swept away before the first write, unless `isSwept`, and after any other's death. */
export function createCaptureContext(
  repository: Repository,
  { objects, clock, isSwept = false }: Pick<CaptureContext, "objects" | "clock"> & { readonly isSwept?: boolean },
): CaptureContext {
  let isDone = isSwept;
  return {
    repository,
    objects,
    clock,
    async lock() {
      const lock = await takeLock(join(repository.home, "write.lock"), { clock });
      if (lock.tookOver || !isDone) await sweepRemains(repository, clock.now());
      isDone = true;
      return lock;
    },
  };
}
