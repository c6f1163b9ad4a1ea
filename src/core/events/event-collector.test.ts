import { describe, expect, it } from "vitest";
import { SAMPLE_RESULT as result } from "../../../test/support/sample-result.ts";
import { createEventCollector } from "./event-collector.ts";
import type { SkeinEvent } from "./event.ts";

const at = (second: number): string => new Date(Date.UTC(2026, 10, 15, 6, 0, second)).toISOString();
const tool = (name: string, second: number): SkeinEvent => ({
  type: "tool-start",
  timestamp: at(second),
  toolUseId: `${name}-${second}`,
  tool: name,
  input: {},
});

describe("the event collector", () => {
  it("sums a turn up", () => {
    const collector = createEventCollector();
    const events: readonly SkeinEvent[] = [
      { type: "text", timestamp: at(0), text: "On it." },
      tool("Write", 1),
      tool("Bash", 2),
      tool("Write", 3),
      { type: "turn-end", timestamp: at(4), result },
    ];
    events.forEach(collector.add);
    expect(collector.summary()).toEqual({
      totalEvents: 5,
      eventsByType: { text: 1, "tool-start": 3, "turn-end": 1 },
      finalResult: result,
      hasErrors: false,
      toolsUsed: ["Write", "Bash"],
      durationMs: 4000,
      eventsPerSecond: 1.25,
    });
  });

  it("has an empty summary before anything happened", () => {
    expect(createEventCollector().summary()).toEqual({
      totalEvents: 0,
      eventsByType: {},
      hasErrors: false,
      toolsUsed: [],
      durationMs: 0,
      eventsPerSecond: 0,
    });
  });

  it("has a rate that is a number when all happens at once, and when events come out of order", () => {
    const collector = createEventCollector();
    collector.add(tool("Bash", 2));
    expect(collector.summary()).toMatchObject({ durationMs: 0, eventsPerSecond: 0 });
    collector.add(tool("Bash", 1));
    expect(collector.summary()).toMatchObject({ durationMs: 1000, eventsPerSecond: 2 });
  });

  it("has errors once a turn failed, or something did on the way", () => {
    const failure = { name: "SkeinError", kind: "overloaded", message: "Busy", retryable: true } as const;
    const [onTheWay, inTheEnd] = [createEventCollector(), createEventCollector()];
    onTheWay.add({ type: "error", timestamp: at(0), error: failure });
    onTheWay.add({ type: "turn-end", timestamp: at(0), result });
    inTheEnd.add({ type: "turn-end", timestamp: at(0), result: { ...result, isError: true, error: failure } });
    expect([onTheWay.summary().hasErrors, inTheEnd.summary().hasErrors]).toEqual([true, true]);
  });

  it("gives summaries that later events do not change", () => {
    const collector = createEventCollector();
    collector.add(tool("Bash", 1));
    const early = collector.summary();
    collector.add(tool("Read", 2));
    expect(early).toMatchObject({ totalEvents: 1, eventsByType: { "tool-start": 1 }, toolsUsed: ["Bash"] });
  });
});
