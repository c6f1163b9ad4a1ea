import type { Clock } from "../../core/internal.ts";

const FREE_FAILURES = 5;
const MEMORY_MS = 60_000;
const LONGEST_MS = 5_000;
const MOST_WAITING = 16;

/** Makes whoever guesses wait, the longer the more they guess; who has the right token never does. */
export interface SlowDown {
  /** Waits as long as this failure deserves; false where too many wait already. */
  afterFailure(): Promise<boolean>;
}

export function createSlowDown(clock: Clock): SlowDown {
  let failures: readonly number[] = [];
  let waiting = 0;
  return {
    async afterFailure() {
      const now = clock.now();
      failures = [...failures.filter((atMs) => atMs > now - MEMORY_MS), now].slice(-32);
      const tooMany = failures.length - FREE_FAILURES;
      if (tooMany <= 0) return true;
      if (waiting >= MOST_WAITING) return false;
      waiting += 1;
      try {
        await clock.sleep(Math.min(100 * 2 ** tooMany, LONGEST_MS));
        return true;
      } finally {
        waiting -= 1;
      }
    },
  };
}
