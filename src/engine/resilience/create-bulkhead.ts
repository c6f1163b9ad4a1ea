import { bulkhead, type BulkheadPolicy } from "cockatiel";
import { ResourceExhaustionError, type Clock } from "../../core/index.ts";
import { deadlinePassed } from "./deadline-passed.ts";
import type { BulkheadLimits } from "./resilience-policy.ts";
import { waitUntil } from "./wait-until.ts";

/** Gives a place back. */
export type Leave = () => void;

/** Lets so many turns in at once, so many wait, and refuses the others. */
export interface Bulkhead {
  /** Waits for a place, up to the deadline or until the signal is aborted. */
  enter(limits: { readonly deadline: number; readonly signal?: AbortSignal | undefined }): Promise<Leave>;
}

/**
 * Makes a bulkhead. cockatiel hands out the places; who waits is counted here, and it is not given the signal: an
 * aborted caller would keep its place in cockatiel's queue, and the one behind it would never be woken (3.2.1).
 */
export function createBulkhead({ maxConcurrent, maxWaiting }: BulkheadLimits, clock: Clock): Bulkhead {
  const places = bulkhead(maxConcurrent, Infinity);
  let waiting = 0;
  return {
    async enter({ deadline, signal }) {
      if (places.executionSlots > 0) return await askForPlace(places).granted;
      if (waiting >= maxWaiting) {
        throw new ResourceExhaustionError(`All places are taken: ${maxConcurrent} running, ${waiting} waiting`, {
          resource: "turns",
          hint: "Try again when some have ended, or raise the bulkhead's maxConcurrent or maxWaiting.",
        });
      }
      const place = askForPlace(places);
      const entered = new AbortController();
      waiting += 1;
      try {
        return await Promise.race([place.granted, interruption(deadline, clock, [entered.signal, signal])]);
      } catch (error) {
        place.abandon();
        throw error;
      } finally {
        waiting -= 1;
        entered.abort();
      }
    },
  };
}

function askForPlace(places: BulkheadPolicy): { readonly granted: Promise<Leave>; abandon(): void } {
  let isAbandoned = false;
  const granted = new Promise<Leave>((grant) => {
    void places.execute(() => (isAbandoned ? undefined : new Promise<void>(grant)));
  });
  return {
    granted,
    abandon() {
      isAbandoned = true;
      // Where the place came in the same moment, it is given back.
      void granted.then((leave) => leave());
    },
  };
}

async function interruption(
  deadline: number,
  clock: Clock,
  signals: readonly (AbortSignal | undefined)[],
): Promise<never> {
  await waitUntil(deadline, clock, AbortSignal.any(signals.filter((signal) => signal !== undefined)));
  throw deadlinePassed();
}
