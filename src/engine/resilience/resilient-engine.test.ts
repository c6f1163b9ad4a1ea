import { describe, expect, test } from "vitest";
import { START, startScripted } from "../../../test/support/scripted-engine.ts";
import {
  ApiError,
  ClaudeAuthError,
  ClaudeTimeoutError,
  NetworkError,
  RateLimitError,
  SkeinError,
  drain,
  type SkeinEvent,
} from "../../core/index.ts";
import { ENGINE_CONTRACT, createFakeClock, createFakeEngine } from "../../testing/index.ts";
import { collect } from "../../testing/internal.ts";
import { claudePrompt } from "../prompts/claude-prompt.ts";
import { createResilientEngine } from "./resilient-engine.ts";

const overloaded = new ApiError("Overloaded", { kind: "overloaded", retryable: true });
const prompt = claudePrompt({ text: "Build it", attachments: [{ type: "text", name: "a.txt", text: "a" } as never] });

describe("a resilient engine", () => {
  test.each(ENGINE_CONTRACT)("$name", async ({ check }) => {
    await check(createResilientEngine(createFakeEngine(() => "hello")));
  });

  test("tries again until it gets through, passes everything on, and ends once", async () => {
    const { engine, waits } = startScripted([{ ends: overloaded }, { ends: overloaded }, { says: "Done" }]);
    const { events, result } = await collect(engine, prompt);
    expect(events.map(label)).toEqual([
      "turn-start",
      "error overloaded",
      "retrying attempt 2 of 4 in 1.0 s: overloaded: Overloaded",
      "turn-start",
      "error overloaded",
      "retrying attempt 3 of 4 in 2.0 s: overloaded: Overloaded",
      "turn-start",
      "text Done",
      "turn-end",
    ]);
    expect(waits).toEqual([1000, 2000]);
    expect(result).toMatchObject({ text: "Done", isError: false, sessionId: "session-3" });
  });

  test("adds up what all attempts cost", async () => {
    const { engine } = startScripted([{ ends: overloaded }, { ends: overloaded }, { says: "Done" }]);
    const { events, result } = await collect(engine, prompt, { model: "fake" });
    const usage = { inputTokens: 3, outputTokens: 6, cacheReadTokens: 9, cacheWriteTokens: 12 };
    expect(result).toMatchObject({
      usage,
      usageByModel: { fake: { ...usage, costUsd: 0.3 } },
      costUsd: 0.3,
      durationMs: 30,
      responses: 3,
    });
    expect(events.at(-1)).toMatchObject({ type: "turn-end", result });
  });

  test("ends with the last error when its retries are used up", async () => {
    const { engine, calls } = startScripted([{ ends: overloaded }, { ends: new NetworkError("Cut") }], {
      retry: { maxRetries: 1 },
    });
    const { events, result } = await collect(engine, prompt);
    expect(calls).toHaveLength(2);
    expect(events.filter(({ type }) => type === "turn-end")).toHaveLength(1);
    expect(result).toMatchObject({ isError: true, error: { kind: "network", message: "Cut" }, costUsd: 0.2 });
  });

  test.each([
    [new ClaudeAuthError("No"), "auth"],
    [new SkeinError("Stopped", { kind: "cancelled", retryable: true }), "cancelled"],
    [new ClaudeTimeoutError("Too long", { reason: "turn" }), "timeout"],
    [new ClaudeTimeoutError("Too late", { reason: "deadline" }), "timeout"],
    [new SkeinError("overloaded, 529, try again later", { kind: "runtime" }), "runtime"],
  ])("%s is not tried again", async (error, kind) => {
    const { engine, calls } = startScripted([{ ends: error }]);
    expect((await engine.execute(prompt)).error).toMatchObject({ kind });
    expect(calls).toHaveLength(1);
  });

  test("a model that fell silent is tried again", async () => {
    const { engine } = startScripted([
      { ends: new ClaudeTimeoutError("Silence", { reason: "idle" }) },
      { says: "Done" },
    ]);
    expect((await engine.execute(prompt)).text).toBe("Done");
  });

  test("waits at least as long as the API asked for", async () => {
    const { engine, waits } = startScripted([
      { ends: new RateLimitError("Slow down", { retryAfterMs: 90_000 }) },
      { ends: new RateLimitError("Slow down", { retryAfterMs: 10 }) },
      { says: "Done" },
    ]);
    await engine.execute(prompt);
    expect(waits).toEqual([90_000, 2000]);
  });

  test("what is thrown is thrown on where no attempt came to a result", async () => {
    const { engine, calls } = startScripted([{ throws: new SkeinError("Empty", { kind: "usage" }) }]);
    await expect(engine.execute(prompt)).rejects.toMatchObject({ kind: "usage" });
    expect(calls).toHaveLength(1);
  });

  test("what is thrown after a result ends the turn with what was spent", async () => {
    const { engine } = startScripted([
      { ends: overloaded },
      { throws: new SkeinError("Gone", { kind: "filesystem" }) },
    ]);
    expect(await engine.execute(prompt)).toMatchObject({ isError: true, error: { kind: "filesystem" }, costUsd: 0.1 });
  });
});

describe("a turn that had done work", () => {
  test("is resumed from its session, and says so", async () => {
    const { engine, calls } = startScripted([
      { ends: overloaded, calls: "Write" },
      { ends: overloaded },
      { says: "Done" },
    ]);
    const options = { model: "fake", resume: "older", forkSession: true };
    const { events, result } = await collect(engine, prompt, options);
    expect(events.map(label).filter((text) => text.startsWith("resuming"))).toEqual([
      "resuming the turn had done work: continuing in session session-1",
      "resuming the turn had done work: continuing in session session-1",
    ]);
    const again = {
      prompt: claudePrompt({ text: "Continue where you were interrupted." }),
      options: { model: "fake", resume: "session-1", forkSession: false },
    };
    expect(calls).toEqual([{ prompt, options }, again, again]);
    expect(result).toMatchObject({ text: "Done", sessionId: "session-1" });
  });

  test("is started again where its session is not kept", async () => {
    const { engine, calls } = startScripted([{ ends: overloaded, calls: "Write" }, { says: "Done" }]);
    await engine.execute(prompt, { persistSession: false });
    expect(calls[1]).toEqual(calls[0]);
  });

  test("is started again where it has no session", async () => {
    const { engine, calls } = startScripted([{ ends: overloaded, calls: "Write", session: "" }, { says: "Done" }]);
    await engine.execute(prompt);
    expect(calls).toEqual([
      { prompt, options: {} },
      { prompt, options: {} },
    ]);
  });
});

test("a turn whose session has a given id is begun again in it, since the id is taken", async () => {
  const script = { ends: overloaded, session: "mine" };
  const { engine, calls } = startScripted([script, { says: "Done" }]);
  await engine.execute(prompt, { resume: "older", forkSession: true, sessionId: "mine" });
  expect(calls[1]).toEqual({ prompt, options: { resume: "mine", forkSession: false } });
});

describe("the money of a turn", () => {
  test("is not given anew to each attempt", async () => {
    const { engine, calls } = startScripted([{ ends: overloaded }, { ends: overloaded }, { says: "Done" }]);
    await engine.execute(prompt, { maxCostUsd: 0.3 });
    expect(calls.map(({ options }) => options.maxCostUsd)).toEqual([0.3, 0.2, 0.1]);
  });

  test("ends the turn when none is left for another attempt", async () => {
    const { engine, calls } = startScripted([{ ends: overloaded }, { ends: overloaded }]);
    const result = await engine.execute(prompt, { maxCostUsd: 0.2 });
    expect(result).toMatchObject({ isError: true, error: { kind: "budget", retryable: false }, costUsd: 0.2 });
    expect(calls).toHaveLength(2);
  });
});

describe("the deadline", () => {
  test("no wait goes past it: the last error is returned at once", async () => {
    const { engine, waits } = startScripted([{ ends: overloaded }, { ends: overloaded }], { deadline: START + 2500 });
    expect((await engine.execute(prompt)).error).toMatchObject({ kind: "overloaded" });
    expect(waits).toEqual([1000]);
  });

  test("the turn's own comes before the policy's, and is told to the engine", async () => {
    const { engine, calls } = startScripted([{ says: "Done" }], { deadline: START + 9000 });
    await engine.execute(prompt, { deadline: START + 5000 });
    expect(calls).toEqual([{ prompt, options: { deadline: START + 5000 } }]);
  });

  test("nothing is begun after it", async () => {
    const { engine, calls } = startScripted([{ says: "Done" }], { deadline: START });
    await expect(engine.execute(prompt)).rejects.toMatchObject({ kind: "timeout", reason: "deadline" });
    expect(calls).toEqual([]);
  });
});

test("cancelling during a wait ends the turn at once with what was spent", async () => {
  const controller = new AbortController();
  const { engine, calls } = startScripted([{ ends: overloaded }], { clock: createFakeClock() });
  const stream = engine.stream(prompt, { signal: controller.signal });
  while (!label((await stream.next()).value as SkeinEvent).startsWith("retrying"));
  const end = stream.next();
  controller.abort();
  expect((await end).value).toMatchObject({
    type: "turn-end",
    result: { isError: true, error: { kind: "cancelled" }, costUsd: 0.1 },
  });
  expect(calls).toHaveLength(1);
});

test("a bulkhead's place is held for the whole turn and given back however it ends", async () => {
  const { engine } = startScripted(
    [{ ends: overloaded }, { says: "1" }, { throws: new SkeinError("No", { kind: "config" }) }, { says: "2" }],
    {
      bulkhead: { maxConcurrent: 1, maxWaiting: 0 },
    },
  );
  const stream = engine.stream(prompt);
  await stream.next();
  await expect(engine.execute(prompt)).rejects.toMatchObject({ kind: "resource_exhausted", retryable: true });
  expect((await drain(stream)).text).toBe("1");
  await expect(engine.execute(prompt)).rejects.toMatchObject({ kind: "config" });
  expect((await engine.execute(prompt)).text).toBe("2");
});

function label(event: SkeinEvent): string {
  if (event.type === "status") return `${event.status} ${event.detail}`;
  if (event.type === "error") return `error ${event.error.kind}`;
  return event.type === "text" ? `text ${event.text}` : event.type;
}
