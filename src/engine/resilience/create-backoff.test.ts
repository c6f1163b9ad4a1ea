import { expect, test } from "vitest";
import { createBackoff } from "./decide-next.ts";
import { checkPolicy } from "./resilience-policy.ts";

const { retry } = checkPolicy({});

function waits(random: () => number, count = 7): readonly number[] {
  const backoff = createBackoff(retry, random);
  return Array.from({ length: count }, () => backoff());
}

test("waits double from one second up to thirty", () => {
  expect(waits(() => 0.5)).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
});

test("jitter is a quarter to both sides", () => {
  expect(waits(() => 0, 3)).toEqual([750, 1500, 3000]);
  expect(waits(() => 1, 3)).toEqual([1250, 2500, 5000]);
});

test("a wait is never shorter than a tenth of a second, or than the shortest that was asked for", () => {
  expect(createBackoff({ ...retry, baseDelayMs: 110, jitter: 1 }, () => 0)()).toBe(100);
  expect(createBackoff({ ...retry, baseDelayMs: 20, jitter: 1 }, () => 0)()).toBe(20);
});
