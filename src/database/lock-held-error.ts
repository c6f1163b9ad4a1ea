import { SkeinError } from "../core/index.ts";

/** Somebody else holds a lock, and did not let go of it in time. */
export class LockHeldError extends SkeinError {
  override readonly name = "LockHeldError";
  /** Who holds it, in words. */
  readonly holder: string;

  constructor(path: string, holder: string) {
    super(`The store is in use by ${holder}`, { kind: "timeout", target: path, retryable: true });
    this.holder = holder;
  }
}
