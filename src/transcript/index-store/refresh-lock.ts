import { SkeinError, systemClock, type Clock } from "../../core/index.ts";
import { openDatabase } from "../../database/index.ts";

/**
 * Does work while no other process does such work on the same index, waiting for as long as one does. The lock is a
 * transaction in a database that stays empty: the kernel lets go of it when its holder dies.
 */
export async function withRefreshLock<T>(
  path: string,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const clock: Clock = { ...systemClock, sleep: (ms) => systemClock.sleep(ms, signal) };
  await using lock = await openDatabase<unknown>(path, { migrations: [], clock });
  for (;;) {
    let hasBegun = false;
    try {
      return await lock.db.transaction().execute(() => {
        hasBegun = true;
        return work();
      });
    } catch (error) {
      throwIfCancelled(signal);
      // Who waits for a lock gives up after some seconds; reading a large history for the first time takes longer.
      if (hasBegun || !(error instanceof SkeinError) || error.kind !== "timeout") throw error;
    }
  }
}

/** Throws the typed error for a refresh that was told to stop. */
export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) {
    throw new SkeinError("The refresh of the transcript index was cancelled", {
      kind: "cancelled",
      cause: signal.reason,
    });
  }
}
