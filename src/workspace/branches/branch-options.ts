/**
 * How a branch is made: an overlay over a shared base, which needs the right to mount; the same in a namespace that only
 * the branch's own processes see, which an ordinary user can have; a copy of such a base, for file systems on which copies
 * share their content; or the state written out anew.
 */
export type BranchKind = "overlay" | "private-overlay" | "clone" | "copy";

/** How branches without a directory of their own are made. */
export interface BranchOptions {
  /** Ignored folders of the workspace that branches get too; by default `node_modules`, `target` and `.venv` where ignored. */
  readonly carry?: readonly string[] | undefined;
  /** What branches get besides of what no state holds, as globs from the root: `.env`, `data`, `models/*.bin`. */
  readonly alsoCarry?: readonly string[] | undefined;
  /** The kind of branch; by default the best that can be had here, found out by trying. */
  readonly kind?: BranchKind | undefined;
  /** Told once, before the first branch, why branches cannot be overlays here. */
  readonly onCopies?: ((reasons: readonly string[]) => void) | undefined;
  /** Told once, at the first branch of which that is so, why agents see branches at paths of their own, not at the workspace's. */
  readonly onOwnPath?: ((reason: string) => void) | undefined;
  /** Folders with programs that agents are started by: in a workspace, agents on branches find those of the host. */
  readonly programs?: readonly string[] | undefined;
  /** How many branches of the workspace there may be at once; 64 by default. */
  readonly maxBranches?: number | undefined;
  /** How much of the disk a branch may take beside what it was made with; without a limit by default. A turn is stopped. */
  readonly quotaBytes?: number | undefined;
  /** How many bases are kept for the next branches of their states; 10 by default. Those in use are not counted out. */
  readonly maxBases?: number | undefined;
  /** How much the kept bases may take on the disk together; 10 GB by default. */
  readonly maxBaseBytes?: number | undefined;
}
