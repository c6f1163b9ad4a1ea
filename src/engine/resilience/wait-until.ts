import { SkeinError, type Clock } from "../../core/index.ts";

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
