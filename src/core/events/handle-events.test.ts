import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { SAMPLE_RESULT as result } from "../../../test/support/sample-result.ts";
import type { SkeinEvent } from "./event.ts";
import { handleEvents, type EventCallbacks } from "./handle-events.ts";

const timestamp = "2026-11-15T06:00:00.000Z";
const call = { timestamp, toolUseId: "t", tool: "Bash" };
const TURN: readonly SkeinEvent[] = [
  { type: "turn-start", timestamp, model: "m", cwd: "/", tools: [], permissionMode: "default" },
  { type: "status", timestamp, status: "requesting" },
  { type: "text-delta", timestamp, text: "On" },
  { type: "text", timestamp, text: "On it." },
  { ...call, type: "tool-start", input: {} },
  { ...call, type: "tool-end", output: "", isError: false, isDenied: false, durationMs: 1 },
  {
    type: "error",
    timestamp,
    error: { name: "ApiError", kind: "overloaded", message: "Busy", retryable: true },
  },
  { type: "unknown", timestamp, raw: {} },
  { type: "turn-end", timestamp, result },
];

async function* stream(log: string[], events: readonly SkeinEvent[] = TURN): AsyncGenerator<SkeinEvent> {
  try {
    for (const event of events) {
      log.push(`send ${event.type}`);
      yield event;
    }
  } finally {
    log.push("closed");
  }
}

describe("handleEvents", () => {
  it("calls each callback at its events, after onEvent, and gives the result", async () => {
    const log: string[] = [];
    const note =
      (name: string) =>
      (event: SkeinEvent): unknown =>
        log.push(`${name} ${event.type}`);
    const callbacks: EventCallbacks = {
      onEvent: note("onEvent"),
      onText: note("onText"),
      onTextDelta: note("onTextDelta"),
      onToolStart: note("onToolStart"),
      onToolEnd: note("onToolEnd"),
      onError: note("onError"),
      onStatus: note("onStatus"),
      onResult: note("onResult"),
    };
    expect(await handleEvents(stream([]), callbacks)).toEqual(result);
    expect(log).toEqual([
      "onEvent turn-start",
      "onEvent status",
      "onStatus status",
      "onEvent text-delta",
      "onTextDelta text-delta",
      "onEvent text",
      "onText text",
      "onEvent tool-start",
      "onToolStart tool-start",
      "onEvent tool-end",
      "onToolEnd tool-end",
      "onEvent error",
      "onError error",
      "onEvent unknown",
      "onEvent turn-end",
      "onResult turn-end",
    ]);
  });

  it("needs no callback at all", async () => {
    expect(await handleEvents(stream([]), {})).toEqual(result);
  });

  it("waits for a callback before it asks for the next event", async () => {
    const log: string[] = [];
    await handleEvents(stream(log), {
      async onText() {
        log.push("writing");
        await setImmediate();
        log.push("written");
      },
    });
    expect(log.slice(log.indexOf("writing"), log.indexOf("written") + 2)).toEqual([
      "writing",
      "written",
      "send tool-start",
    ]);
  });

  it.each(["throws", "rejects"])("ends the stream and fails with what a callback %s", async (how) => {
    const log: string[] = [];
    const failure = new Error("disk full");
    const onToolStart = (): unknown => {
      if (how === "rejects") return Promise.reject(failure);
      throw failure;
    };
    await expect(handleEvents(stream(log), { onToolStart })).rejects.toBe(failure);
    expect(log.slice(-2)).toEqual(["send tool-start", "closed"]);
  });

  it("fails when the stream does, and when it ends without turn-end", async () => {
    async function* broken(): AsyncGenerator<SkeinEvent> {
      yield* TURN.slice(0, 2);
      throw new Error("cut");
    }
    await expect(handleEvents(broken(), {})).rejects.toThrow("cut");
    await expect(handleEvents(stream([], TURN.slice(0, 3)), {})).rejects.toMatchObject({ kind: "runtime" });
  });
});
