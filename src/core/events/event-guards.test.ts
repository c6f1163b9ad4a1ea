import { describe, expect, expectTypeOf, it } from "vitest";
import { SAMPLE_RESULT as result } from "../../../test/support/sample-result.ts";
import type { SkeinEvent, ToolEndEvent, TurnEndEvent, TurnStream } from "./event.ts";
import { errorsOnly, isEvent, resultsOnly, toolActivity } from "./event-guards.ts";
import { filterEvents } from "./event-guards.ts";

const timestamp = "2026-11-15T06:00:00.000Z";
const failure = { name: "SkeinError", kind: "timeout", message: "Too long", retryable: true } as const;
const toolStart: SkeinEvent = { type: "tool-start", timestamp, toolUseId: "t", tool: "Bash", input: {} };
const toolEnd: SkeinEvent = {
  type: "tool-end",
  timestamp,
  toolUseId: "t",
  tool: "Bash",
  output: "error: no such file",
  isError: true,
  isDenied: false,
  durationMs: 1,
};
const error: SkeinEvent = { type: "error", timestamp, error: failure };
const ended: SkeinEvent = { type: "turn-end", timestamp, result };
const failed: SkeinEvent = { type: "turn-end", timestamp, result: { ...result, isError: true, error: failure } };
const all: readonly SkeinEvent[] = [
  { type: "status", timestamp, status: "error" },
  toolStart,
  toolEnd,
  error,
  ended,
  failed,
];

describe("the guards of events", () => {
  it("tell an event by its type, or by one of several", () => {
    expect(all.filter((event) => isEvent(event, "tool-end"))).toEqual([toolEnd]);
    expect(all.filter((event) => isEvent(event, "tool-end", "error"))).toEqual([toolEnd, error]);
    const narrowed = (event: SkeinEvent): unknown => isEvent(event, "tool-end") && event.isDenied;
    expect(narrowed(toolEnd)).toBe(false);
  });

  it("let failures through, the end of a failed turn too, but no tool that failed and no mere word", () => {
    expect(all.filter(errorsOnly)).toEqual([error, failed]);
  });

  it("let results and tool calls through", () => {
    expect(all.filter(resultsOnly)).toEqual([ended, failed]);
    expect(all.filter(toolActivity)).toEqual([toolStart, toolEnd]);
    expectTypeOf(all.filter(resultsOnly)).toEqualTypeOf<TurnEndEvent[]>();
  });

  it("leave the end of a good turn in what is no error", () => {
    const rest = (event: SkeinEvent): unknown =>
      errorsOnly(event) ? event : event.type === "turn-end" && event.result;
    expect(rest(ended)).toEqual(result);
  });
});

describe("filterEvents", () => {
  async function* stream(closed: string[] = []): TurnStream {
    try {
      yield* all;
      return result;
    } finally {
      closed.push("closed");
    }
  }

  it("gives the events of a stream that a guard lets through, as their type", async () => {
    const seen: ToolEndEvent[] = [];
    for await (const event of filterEvents(stream(), (one) => isEvent(one, "tool-end"))) seen.push(event);
    expect(seen).toEqual([toolEnd]);
  });

  it("takes any test", async () => {
    const seen: SkeinEvent[] = [];
    const isLong: (event: SkeinEvent) => boolean = (event) => event.type.length > 6;
    for await (const event of filterEvents(stream(), isLong)) seen.push(event);
    expect(seen).toEqual([toolStart, toolEnd, ended, failed]);
  });

  it("ends the stream when it is ended early", async () => {
    const closed: string[] = [];
    for await (const event of filterEvents(stream(closed), toolActivity)) {
      expect(event).toEqual(toolStart);
      break;
    }
    expect(closed).toEqual(["closed"]);
  });
});
