import type { Clock } from "../core/internal.ts";

/** A clock that moves only when it is told to. */
export interface FakeClock extends Clock {
  /** Moves time on, and wakes whoever slept until then. */
  advance(ms: number): void;
}

/** Makes a clock that stands at the given moment. */
export function createFakeClock(startMs = Date.UTC(2026, 0, 1)): FakeClock {
  let now = startMs;
  const sleepers = new Set<{ readonly until: number; wake(): void }>();
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason as Error);
        const sleeper = { until: now + ms, wake: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener("abort", () => {
          sleepers.delete(sleeper);
          reject(signal.reason as Error);
        });
      }),
    advance(ms) {
      now += ms;
      for (const sleeper of sleepers) {
        if (sleeper.until > now) continue;
        sleepers.delete(sleeper);
        sleeper.wake();
      }
    },
  };
}
