import { SkeinError } from "../../core/internal.ts";

/** A path at which what was asked for clashes with what somebody did since. */
export interface Conflict {
  readonly path: string;
  /**
   * `content`: the same lines were changed. `deleted`, `created`, `replaced`: a turn's file was deleted since, changed
   * since, or something else is in its place. `git-head`, `git-index`: HEAD or what is staged was changed by both.
   * `unrecorded`: no recorded turn made what would be lost.
   */
  readonly why: "content" | "created" | "deleted" | "replaced" | "git-head" | "git-index" | "unrecorded";
}

/** An undo or a restore would take what a person did; nothing was changed. */
export class ConflictError extends SkeinError {
  override readonly name = "ConflictError";
  readonly conflicts: readonly Conflict[];

  constructor(message: string, conflicts: readonly Conflict[], hint: string) {
    super(`${message}: ${named(conflicts)}`, { kind: "conflict", target: conflicts[0]?.path, hint });
    this.conflicts = conflicts;
  }
}

function named(conflicts: readonly Conflict[]): string {
  const paths = conflicts.slice(0, 5).map(({ path }) => path);
  const others = conflicts.length - paths.length;
  return others > 0 ? `${paths.join(", ")} and ${others} more` : paths.join(", ");
}
