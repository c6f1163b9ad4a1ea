import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { defineEvent } from "./define-event.ts";
import type { SkeinEvent } from "./event.ts";

const clock = { now: () => Date.UTC(2026, 10, 15, 6), sleep: () => Promise.resolve() };
const timestamp = "2026-11-15T06:00:00.000Z";
const testRun = defineEvent(
  { name: "test-run", schema: z.object({ passed: z.int(), failed: z.array(z.string()) }) },
  clock,
);

describe("defineEvent", () => {
  it("makes events that are part of the union, with what is known about them", () => {
    const event = testRun.create({ passed: 3, failed: ["adds"] }, { sessionId: "s" });
    expect(event).toEqual({
      type: "custom",
      name: "test-run",
      timestamp,
      sessionId: "s",
      data: { passed: 3, failed: ["adds"] },
    });
    expectTypeOf(event).toExtend<SkeinEvent>();
  });

  it("reads its events back from JSON", () => {
    const event = testRun.create({ passed: 3, failed: [] });
    expect(testRun.parse(JSON.parse(JSON.stringify(event)))).toEqual(event);
  });

  it("tells its events from others, and from those of its name whose data is something else", () => {
    const base = { type: "custom", timestamp } as const;
    const events: readonly SkeinEvent[] = [
      testRun.create({ passed: 1, failed: [] }),
      { ...base, name: "test-run", data: { passed: "all" } },
      { ...base, name: "build", data: { passed: 1, failed: [] } },
      { type: "text", timestamp, text: "test-run" },
    ];
    expect(events.map(testRun.is)).toEqual([true, false, false, false]);
    expectTypeOf(events.filter(testRun.is).map(({ data }) => data.passed)).toEqualTypeOf<number[]>();
  });

  it("refuses data that its schema refuses, at the place", () => {
    expect(() => testRun.create({ passed: 1, failed: [2 as never] })).toThrow(
      expect.objectContaining({ kind: "parse", target: "data.failed[0]" }),
    );
    expect(() => testRun.parse({ type: "custom", timestamp, name: "test-run", data: {} })).toThrow(
      expect.objectContaining({ kind: "parse", target: "data.passed" }),
    );
  });

  it.each([
    { type: "custom", timestamp, name: "build", data: {} },
    { type: "text", timestamp, text: "test-run" },
    { type: "of-the-future" },
  ])("refuses to read %j, which is of another kind", (json) => {
    expect(() => testRun.parse(json)).toThrow(expect.objectContaining({ kind: "parse", target: "name" }));
  });
});
