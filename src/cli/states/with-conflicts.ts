import { ConflictError } from "../../snapshot/index.ts";
import { CommandError } from "../../protocol/index.ts";

/** Does some work; where it would take what a person did, all of that is told in the error's details. */
export async function withConflicts<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    const { kind, message, hint, target, retryable, conflicts } = error;
    throw new CommandError({ kind, message, hint, target, retryable, cause: error }, { conflicts });
  }
}
