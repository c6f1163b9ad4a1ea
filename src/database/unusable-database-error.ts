import { SkeinError, type SkeinErrorOptions } from "../core/index.ts";

/** Why a database file cannot be used: its bytes are damaged, or a newer Skein has written it. */
export type UnusableReason = "damaged" | "newer";

/** A file that is no database of ours. Whoever can make its content anew may delete it. */
export class UnusableDatabaseError extends SkeinError {
  override readonly name = "UnusableDatabaseError";
  readonly reason: UnusableReason;

  constructor(message: string, options: SkeinErrorOptions & { readonly reason: UnusableReason }) {
    super(message, { ...options, kind: "parse" });
    this.reason = options.reason;
  }
}
