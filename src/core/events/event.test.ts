import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import { ERROR_KINDS } from "../errors.ts";

import { parseEvent, type SkeinEvent } from "./event.ts";
import type { ErrorRecord } from "../errors.ts";

const clock = { now: () => Date.UTC(2026, 10, 15, 6), sleep: () => Promise.resolve() };
const timestamp = "2026-11-15T06:00:00.000Z";

type EventOf<Type extends SkeinEvent["type"]> = Extract<SkeinEvent, { readonly type: Type }>;

const text = fc.string({ unit: "binary" });
const count = fc.nat();
const usage = { inputTokens: count, outputTokens: count, cacheReadTokens: count, cacheWriteTokens: count };
const base = {
  timestamp: fc
    .date({ min: new Date(0), max: new Date("2100-01-01"), noInvalidDate: true })
    .map((date) => date.toISOString()),
  sessionId: fc.uuid(),
  parentToolUseId: text,
  raw: fc.jsonValue(),
};
const error = fc.record(
  {
    name: text,
    kind: fc.constantFrom(...ERROR_KINDS),
    message: text,
    retryable: fc.boolean(),
    hint: text,
    target: text,
    status: count,
  },
  { requiredKeys: ["name", "kind", "message", "retryable"] },
) as fc.Arbitrary<ErrorRecord>;
const result = fc.record(
  {
    text,
    sessionId: fc.uuid(),
    isError: fc.boolean(),
    error,
    stopReason: text,
    terminalReason: text,
    usage: fc.record(usage),
    usageByModel: fc.dictionary(
      text.filter((key) => key !== "__proto__"),
      fc.record({ ...usage, costUsd: count }),
    ),
    costUsd: count,
    durationMs: count,
    responses: count,
    model: text,
    permissionDenials: fc.array(fc.record({ tool: text, toolUseId: text, input: fc.jsonValue() })),
    structuredOutput: fc.jsonValue(),
  },
  {
    requiredKeys: [
      "text",
      "sessionId",
      "isError",
      "usage",
      "usageByModel",
      "costUsd",
      "durationMs",
      "responses",
      "model",
      "permissionDenials",
    ],
  },
);

/** Events of each type, any of their optional fields missing. A type without an entry does not compile. */
const EVENTS: { readonly [Type in SkeinEvent["type"]]: fc.Arbitrary<EventOf<Type>> } = {
  "turn-start": events("turn-start", { model: text, cwd: text, tools: fc.array(text), permissionMode: text }),
  "text-delta": events("text-delta", { text }),
  "thinking-delta": events("thinking-delta", { text }),
  "signature-delta": events("signature-delta", { signature: text }),
  "tool-input-delta": events("tool-input-delta", { toolUseId: text, tool: text, json: text }),
  text: fc.oneof(events("text", { text }), events("text", { text, model: text })),
  thinking: fc.oneof(events("thinking", { text }), events("thinking", { text, model: text })),
  "tool-start": events("tool-start", { toolUseId: text, tool: text, input: fc.jsonValue() }),
  "tool-end": events("tool-end", {
    toolUseId: text,
    tool: text,
    output: fc.jsonValue(),
    isError: fc.boolean(),
    isDenied: fc.boolean(),
    durationMs: count,
  }),
  usage: events("usage", {
    messageId: text,
    model: text,
    usage: fc.record(usage),
    isFinal: fc.boolean(),
    stopReason: text,
  }),
  status: fc.oneof(events("status", { status: text }), events("status", { status: text, detail: text })),
  error: events("error", { error }),
  "question-asked": events("question-asked", {
    questionId: text,
    kind: fc.constantFrom("permission", "question", "plan"),
    askedOn: fc.constantFrom("terminal", "remote"),
    toolUseId: text,
    tool: text,
    input: fc.jsonValue(),
    isSandboxed: fc.boolean(),
    warnings: fc.array(text),
    rules: fc.array(text),
  }),
  "question-answered": events("question-answered", {
    questionId: text,
    toolUseId: text,
    tool: text,
    decision: fc.constantFrom("allow", "deny"),
    by: text,
    rules: fc.array(text),
    waitedMs: count,
  }),
  "turn-end": events("turn-end", { result }),
  "state-recorded": events("state-recorded", { stateId: text, transitionId: text, conversationId: text }),
  unknown: events("unknown", {}),
  custom: events("custom", { name: text, data: fc.jsonValue() }),
};

function events<Type extends SkeinEvent["type"]>(
  type: Type,
  fields: Readonly<Record<string, fc.Arbitrary<unknown>>>,
): fc.Arbitrary<EventOf<Type>> {
  const all: Readonly<Record<string, fc.Arbitrary<unknown>>> = { ...base, ...fields };
  return fc
    .record(all, { requiredKeys: ["timestamp", ...Object.keys(fields)] })
    .map((event) => ({ type, ...event }) as unknown as EventOf<Type>);
}

describe("parseEvent", () => {
  it("reads back every event that was written as JSON", () => {
    fc.assert(
      fc.property(fc.oneof(...Object.values<fc.Arbitrary<SkeinEvent>>(EVENTS)), (event) => {
        const written = JSON.stringify(event);
        const read = parseEvent(JSON.parse(written));
        expect(read).toEqual(JSON.parse(written));
      }),
    );
  });

  it("refuses an event of each type that lacks a field of its own", () => {
    expectTypeOf(parseEvent).returns.toEqualTypeOf<SkeinEvent>();
    for (const type of Object.keys(EVENTS).filter((each) => each !== "unknown")) {
      const bare = { type, timestamp };
      expect(() => parseEvent(bare)).toThrow(expect.objectContaining({ kind: "parse" }));
    }
  });

  it("keeps an event of a type it does not know whole", () => {
    const later = {
      type: "mood-change",
      timestamp: "2027-01-01T00:00:00Z",
      sessionId: "s",
      mood: { from: 1, to: [2] },
    };
    const read = parseEvent(later, clock);
    expect(read).toEqual({ type: "unknown", timestamp: "2027-01-01T00:00:00Z", sessionId: "s", raw: later });
    expect(parseEvent(JSON.parse(JSON.stringify(read)))).toEqual(read);
  });

  it("gives an unknown event that has no time of its own the time at which it was read", () => {
    const later = { type: "mood-change", timestamp: 17, sessionId: 4 };
    expect(parseEvent(later, clock)).toEqual({ type: "unknown", timestamp, raw: later });
  });

  it("keeps fields that a later version added, at every depth", () => {
    const event = { type: "error", timestamp, mood: "calm", error: { ...failure(), deeper: { still: true } } };
    expect(parseEvent(event)).toEqual(event);
  });

  it.each([
    [{ type: "text", timestamp, text: 4 }, "text"],
    [{ type: "text", timestamp: "yesterday", text: "a" }, "timestamp"],
    [
      { type: "turn-start", timestamp, model: "m", cwd: "/", tools: ["Bash", 1], permissionMode: "default" },
      "tools[1]",
    ],
    [{ type: "error", timestamp, error: { ...failure(), kind: "bad luck" } }, "error.kind"],
    [{ type: 7 }, "type"],
    [{ timestamp }, "type"],
  ])("refuses %j and names the place", (json, target) => {
    expect(() => parseEvent(json)).toThrow(expect.objectContaining({ kind: "parse", target }));
  });

  it.each([null, 7, "text", [[]], undefined])("refuses %j, which is no event at all", (json) => {
    expect(() => parseEvent(json)).toThrow(expect.objectContaining({ kind: "parse", target: undefined }));
  });
});

function failure(): ErrorRecord {
  return { name: "SkeinError", kind: "runtime", message: "No", retryable: false };
}
