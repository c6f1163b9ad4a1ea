import { setTimeout as wait } from "node:timers/promises";

/** Time as an argument: real in production, driven by hand in tests. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The longest that Node's timers can wait: one that is asked for more fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    try {
      let left = ms;
      for (; left > LONGEST_TIMER_MS; left -= LONGEST_TIMER_MS) await wait(LONGEST_TIMER_MS, null, { signal });
      await wait(left, null, { signal });
    } catch {
      throw signal?.reason;
    }
  },
};

/** A moment as the text that Skein writes everywhere: ISO 8601 in UTC. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
