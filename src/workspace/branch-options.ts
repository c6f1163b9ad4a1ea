/**
 * How a branch is made: an overlay over a shared base, which needs the right to mount; the same in a namespace that only
 * the branch's own processes see, which an ordinary user can have; or a copy.
 */
export type BranchKind = "overlay" | "private-overlay" | "copy";

/** How branches without a directory of their own are made. */
export interface BranchOptions {
  /** Ignored folders of the workspace that branches get too; by default `node_modules`, `target` and `.venv` where ignored. */
  readonly carry?: readonly string[] | undefined;
  /** The kind of branch; by default the best that can be had here, found out by trying. */
  readonly kind?: BranchKind | undefined;
  /** Told once, before the first branch, why branches have to be copies here. */
  readonly onCopies?: ((reasons: readonly string[]) => void) | undefined;
  /** How many branches of the workspace there may be at once; 64 by default. */
  readonly maxBranches?: number | undefined;
  /** How much a branch may change, measured when it is captured; without a limit by default. */
  readonly quotaBytes?: number | undefined;
  /** How many bases are kept for the next branches of their states; 10 by default. Those in use are not counted out. */
  readonly maxBases?: number | undefined;
  /** How much the kept bases may take on the disk together; 10 GB by default. */
  readonly maxBaseBytes?: number | undefined;
}
