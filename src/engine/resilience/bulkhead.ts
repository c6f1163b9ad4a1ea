import { bulkhead, type BulkheadPolicy } from "cockatiel";
import { ClaudeTimeoutError, ResourceExhaustionError, SkeinError, type Clock } from "../../core/index.ts";
import type { BulkheadLimits } from "./resilience-policy.ts";

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

/** A longer timer would go off at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Waits for a moment, `Infinity` included; an aborted signal ends it with an error of the kind `cancelled`. */
export async function waitUntil(epochMs: number, clock: Clock, signal?: AbortSignal): Promise<void> {
  try {
    for (let leftMs = epochMs - clock.now(); leftMs > 0; leftMs = epochMs - clock.now()) {
      await clock.sleep(Math.min(leftMs, LONGEST_TIMER_MS), signal);
    }
    signal?.throwIfAborted();
  } catch (error) {
    throw signal?.aborted ? new SkeinError("The turn was cancelled", { kind: "cancelled", cause: error }) : error;
  }
}

/** What a turn is refused with that could not begin in time. */
export function deadlinePassed(): ClaudeTimeoutError {
  return new ClaudeTimeoutError("The deadline passed before the turn could begin", {
    reason: "deadline",
    retryable: false,
    hint: "Give a later deadline, or run fewer turns at once.",
  });
}
