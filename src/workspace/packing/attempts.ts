import type { ErrorKind } from "../../core/index.ts";
import { storageError } from "../../git/index.ts";

/** Something that there was no space for. */
export interface NotDone {
  /** What was to be done. */
  readonly what: string;
  readonly kind: ErrorKind;
  readonly message: string;
}

/** Steps each of which is left out where the disk has no space for it; what else goes wrong is thrown. */
export interface Attempts {
  /** Takes a step; gives false where there was no space. */
  take(what: string, step: () => Promise<unknown>): Promise<boolean>;
  readonly notDone: readonly NotDone[];
}

/** Begins without any. */
export function createAttempts(target: string): Attempts {
  const notDone: NotDone[] = [];
  return {
    notDone,
    async take(what, step) {
      try {
        await step();
        return true;
      } catch (cause) {
        const error = storageError(what, target, cause);
        if (error.kind !== "resource_exhausted") throw error;
        notDone.push({
          what,
          kind: error.kind,
          message: cause === error ? `${what}: ${error.message}` : error.message,
        });
        return false;
      }
    },
  };
}
