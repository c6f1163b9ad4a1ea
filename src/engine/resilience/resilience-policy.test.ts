import { expect, test } from "vitest";
import { checkPolicy } from "./resilience-policy.ts";

test("the defaults are the documented ones", () => {
  expect(checkPolicy({})).toEqual({
    retry: { maxRetries: 3, baseDelayMs: 1000, factor: 2, maxDelayMs: 30_000, jitter: 0.25 },
    breaker: { maxFailures: 5, openMs: 60_000, neededSuccesses: 2 },
  });
});

test.each([
  [{ retry: { maxRetries: -1 } }, "retry.maxRetries"],
  [{ breaker: { maxFailures: 0 } }, "breaker.maxFailures"],
  [{ bulkhead: { maxConcurrent: 1.5 } }, "bulkhead.maxConcurrent"],
  [{ fallbackModel: "" }, "fallbackModel"],
])("%j is refused by its name", (policy, option) => {
  expect(() => checkPolicy(policy)).toThrow(expect.objectContaining({ kind: "config", option }));
});
