import { ExponentialBackoff, type IBackoff } from "cockatiel";
import type { RetryPolicy } from "./resilience-policy.ts";

/** With jitter, no wait is shorter: what failed a moment ago will fail again. */
const LEAST_MS = 100;

/** Gives the waits of one turn, each longer than the one before, up to the limit. */
export interface Backoff {
  /** The wait before the next attempt. */
  next(): number;
}

/** Makes the waits of one turn. cockatiel keeps the count; its own generators draw from `Math.random`, so ours is given. */
export function createBackoff(policy: RetryPolicy, random: () => number = Math.random): Backoff {
  const factory = new ExponentialBackoff<number>({
    initialDelay: policy.baseDelayMs,
    maxDelay: policy.maxDelayMs,
    exponent: policy.factor,
    generator: (attempts = 0, { initialDelay, exponent, maxDelay }) => {
      const delayMs = Math.min(maxDelay, initialDelay * exponent ** attempts);
      const spread = 1 + policy.jitter * (2 * random() - 1);
      return [Math.max(Math.min(LEAST_MS, policy.baseDelayMs), Math.round(delayMs * spread)), attempts + 1];
    },
  });
  let present: IBackoff<unknown> | undefined;
  return {
    next() {
      present = present ? present.next(undefined) : factory.next();
      return present.duration;
    },
  };
}
