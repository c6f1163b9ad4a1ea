import { expect, test } from "vitest";
import { createFakeClock } from "../../testing/index.ts";
import { type FakeClock } from "../../testing/internal.ts";
import { createCircuitBreaker, type BreakerOutcome, type CircuitBreaker } from "./circuit-breaker.ts";

const policy = { maxFailures: 3, openMs: 60_000, neededSuccesses: 2 };

function start(): { readonly breaker: CircuitBreaker; readonly clock: FakeClock; readonly changes: string[] } {
  const clock = createFakeClock();
  const changes: string[] = [];
  const onChange = (from: string, to: string): number => changes.push(`${from} to ${to}`);
  return { breaker: createCircuitBreaker({ key: "api fake", policy, clock, onChange }), clock, changes };
}

function report(breaker: CircuitBreaker, ...outcomes: readonly BreakerOutcome[]): void {
  for (const outcome of outcomes) breaker.admit().report(outcome);
}

test("failures in a row open it, and it then refuses at once and says until when", () => {
  const { breaker, clock, changes } = start();
  report(breaker, "failure", "failure", "failure");
  clock.advance(20_000);
  expect(() => breaker.admit()).toThrow(
    expect.objectContaining({
      name: "CircuitOpenError",
      kind: "overloaded",
      retryable: true,
      breaker: "api fake",
      retryAfterMs: 40_000,
      hint: "It lets a turn through at 2026-01-01T00:01:00.000Z; wait until then, or use another model.",
    }),
  );
  expect(breaker.state()).toEqual({
    key: "api fake",
    state: "open",
    failures: 3,
    openedAt: "2026-01-01T00:00:00.000Z",
    halfOpenAt: "2026-01-01T00:01:00.000Z",
  });
  expect(changes).toEqual(["closed to open"]);
});

test("a success in between starts the count again, and what is no fault of the endpoint does not", () => {
  const { breaker } = start();
  report(breaker, "failure", "failure", "success", "failure", "neutral", "failure");
  expect(breaker.state()).toEqual({ key: "api fake", state: "closed", failures: 2 });
  report(breaker, "failure");
  expect(breaker.state().state).toBe("open");
});

test("after its time one turn at a time is let through, and enough successes close it", () => {
  const { breaker, clock, changes } = start();
  report(breaker, "failure", "failure", "failure");
  clock.advance(60_000);
  const permit = breaker.admit();
  expect(() => breaker.admit()).toThrow(expect.objectContaining({ kind: "overloaded", retryAfterMs: undefined }));
  permit.report("success");
  expect(breaker.state()).toEqual({
    key: "api fake",
    state: "half-open",
    failures: 3,
    openedAt: "2026-01-01T00:00:00.000Z",
  });
  report(breaker, "success");
  expect(breaker.state()).toEqual({ key: "api fake", state: "closed", failures: 0 });
  expect(changes).toEqual(["closed to open", "open to half-open", "half-open to closed"]);
});

test("a failure while half-open opens it again for the whole time", () => {
  const { breaker, clock } = start();
  report(breaker, "failure", "failure", "failure");
  clock.advance(60_000);
  report(breaker, "success", "failure");
  expect(breaker.state()).toMatchObject({ state: "open", failures: 4, openedAt: "2026-01-01T00:01:00.000Z" });
});

test("a cancelled try gives its place back and proves nothing", () => {
  const { breaker, clock } = start();
  report(breaker, "failure", "failure", "failure");
  clock.advance(60_000);
  report(breaker, "neutral", "neutral", "success");
  expect(breaker.state().state).toBe("half-open");
});

test("a turn that began before it opened does not close or re-open it, and is counted once", () => {
  const { breaker, clock } = start();
  const [early, late] = [breaker.admit(), breaker.admit()];
  report(breaker, "failure", "failure", "failure");
  early.report("success");
  clock.advance(60_000);
  expect(breaker.state().state).toBe("half-open");
  late.report("failure");
  late.report("failure");
  expect(breaker.state().state).toBe("half-open");
});
