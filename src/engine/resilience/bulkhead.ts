import { ClaudeTimeoutError, ResourceExhaustionError, SkeinError, type Clock } from "../../core/internal.ts";
import type { BulkheadLimits } from "./resilience-policy.ts";

/** Lets so many turns in at once, so many wait, in their order, and refuses the others. */
export function createBulkhead({ maxConcurrent, maxWaiting }: BulkheadLimits, clock: Clock) {
  let running = 0;
  const waiting = new Set<() => void>();

  const leave = (): void => {
    const [next] = waiting;
    if (!next) return void (running -= 1);
    waiting.delete(next);
    next();
  };

  return {
    /** Waits for a place, up to the deadline or until the signal is aborted; gives the function that gives the place back. */
    async enter(limits: { readonly deadline: number; readonly signal?: AbortSignal | undefined }): Promise<() => void> {
      if (running < maxConcurrent) {
        running += 1;
        return leave;
      }
      if (waiting.size >= maxWaiting) {
        throw new ResourceExhaustionError(`All places are taken: ${maxConcurrent} running, ${waiting.size} waiting`, {
          resource: "turns",
          hint: "Try again when some have ended, or raise the bulkhead's `maxConcurrent` or `maxWaiting`.",
        });
      }
      let grant: () => void = () => undefined;
      const granted = new Promise<void>((resolve) => waiting.add((grant = resolve)));
      const entered = new AbortController();
      const signals = [entered.signal, ...(limits.signal ? [limits.signal] : [])];
      try {
        const late = waitUntil(limits.deadline, clock, AbortSignal.any(signals)).then(() =>
          Promise.reject(deadlinePassed()),
        );
        await Promise.race([granted, late]);
        return leave;
      } catch (error) {
        // Where the place came in the same moment, it is given back.
        if (!waiting.delete(grant)) leave();
        throw error;
      } finally {
        entered.abort();
      }
    },
  };
}

/** Waits for a moment, `Infinity` included; an aborted signal ends it with an error of the kind `cancelled`. */
export async function waitUntil(epochMs: number, clock: Clock, signal?: AbortSignal): Promise<void> {
  try {
    const leftMs = epochMs - clock.now();
    if (leftMs > 0) await clock.sleep(leftMs, signal);
    signal?.throwIfAborted();
  } catch (error) {
    throw signal?.aborted ? new SkeinError("The turn was cancelled", { kind: "cancelled", cause: error }) : error;
  }
}

export function deadlinePassed(): ClaudeTimeoutError {
  return new ClaudeTimeoutError("The deadline passed before the turn could begin", {
    reason: "deadline",
    retryable: false,
    hint: "Give a later deadline, or run fewer turns at once.",
  });
}
