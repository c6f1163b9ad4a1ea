import { describe, expect, test } from "vitest";
import { startScripted } from "../../../test/support/scripted-engine.ts";
import { ApiError, NetworkError, SkeinError } from "../../core/index.ts";
import { collect } from "../../testing/internal.ts";
import { claudePrompt } from "../prompts/claude-prompt.ts";

const overloaded = new ApiError("Overloaded", { kind: "overloaded", retryable: true });
const prompt = claudePrompt({ text: "Build it" });

describe("the breaker", () => {
  const policy = { retry: { maxRetries: 0 }, breaker: { maxFailures: 2 }, env: {} };
  const failing = [{ ends: overloaded }, { ends: overloaded }];

  test("opens after failures in a row, refuses at once, tries after its time and closes", async () => {
    const { engine, calls, clock } = startScripted([...failing, { says: "1" }, { says: "2" }], policy);
    const changes: string[] = [];
    engine.onBreakerChange(({ key, from, to }) => changes.push(`${key}: ${from} to ${to}`));
    await engine.execute(prompt, { model: "opus" });
    await engine.execute(prompt, { model: "opus" });
    await expect(engine.execute(prompt, { model: "opus" })).rejects.toMatchObject({
      name: "CircuitOpenError",
      retryAfterMs: 60_000,
    });
    expect(calls).toHaveLength(2);
    await clock.sleep(60_000);
    await engine.execute(prompt, { model: "opus" });
    await engine.execute(prompt, { model: "opus" });
    expect(engine.breakers()).toEqual([{ key: "https://api.anthropic.com opus", state: "closed", failures: 0 }]);
    expect(changes).toEqual([
      "https://api.anthropic.com opus: closed to open",
      "https://api.anthropic.com opus: open to half-open",
      "https://api.anthropic.com opus: half-open to closed",
    ]);
  });

  test("is one for each endpoint and model", async () => {
    const { engine } = startScripted([...failing, { says: "Done" }], policy);
    await engine.execute(prompt, { model: "opus" });
    await engine.execute(prompt, { model: "opus" });
    expect((await engine.execute(prompt, { model: "haiku" })).text).toBe("Done");
    expect(engine.breakers().map(({ key, state }) => [key, state])).toEqual([
      ["https://api.anthropic.com opus", "open"],
      ["https://api.anthropic.com haiku", "closed"],
    ]);
  });

  test("does not count what is no fault of the endpoint", async () => {
    const errors = ["auth", "config", "usage", "cancelled", "process"] as const;
    const { engine } = startScripted(
      errors.map((kind) => ({ ends: new SkeinError(kind, { kind }) })),
      policy,
    );
    for (const _ of errors) await engine.execute(prompt);
    expect(engine.breakers()).toEqual([{ key: "https://api.anthropic.com default", state: "closed", failures: 0 }]);
  });

  test("is waited for by a turn that is under way and has retries left", async () => {
    const { engine, waits } = startScripted([...failing, { says: "Done" }], { ...policy, retry: { maxRetries: 3 } });
    expect((await engine.execute(prompt)).text).toBe("Done");
    expect(waits).toEqual([1000, 60_000]);
  });

  test("a turn that is walked away from gives its try back", async () => {
    const { engine, clock } = startScripted([...failing, { says: "1" }, { says: "2" }], policy);
    await engine.execute(prompt);
    await engine.execute(prompt);
    await clock.sleep(60_000);
    for await (const event of engine.stream(prompt)) if (event.type === "turn-start") break;
    expect((await engine.execute(prompt)).text).toBe("2");
  });
});

describe("the fallback model", () => {
  test("gets one attempt when the retries are used up, and says so", async () => {
    const { engine, calls } = startScripted([{ ends: overloaded }, { ends: overloaded }, { says: "Done" }], {
      retry: { maxRetries: 1 },
      fallbackModel: "haiku",
    });
    const { events, result } = await collect(engine, prompt, { model: "opus" });
    expect(events).toContainEqual(
      expect.objectContaining({ status: "fallback", detail: "continuing with haiku: overloaded: Overloaded" }),
    );
    expect(calls.map(({ options }) => options.model)).toEqual(["opus", "opus", "haiku"]);
    expect(result).toMatchObject({ text: "Done", model: "haiku" });
  });

  test("fails for good when it fails too", async () => {
    const { engine, calls } = startScripted([{ ends: overloaded }, { ends: overloaded }], {
      retry: { maxRetries: 0 },
      fallbackModel: "haiku",
    });
    expect((await engine.execute(prompt, { model: "opus" })).error).toMatchObject({ kind: "overloaded" });
    expect(calls).toHaveLength(2);
  });

  test("goes on in the session where the turn had done work", async () => {
    const { engine, calls } = startScripted([{ ends: overloaded, calls: "Bash" }, { says: "Done" }], {
      retry: { maxRetries: 0 },
      fallbackModel: "haiku",
    });
    await engine.execute(prompt, { model: "opus" });
    expect(calls[1]?.options).toEqual({ model: "haiku", resume: "session-1", forkSession: false });
  });

  test("is asked at once where the breaker of the model is open", async () => {
    const { engine, waits } = startScripted([{ ends: overloaded }, { says: "1" }, { says: "2" }], {
      retry: { maxRetries: 3 },
      breaker: { maxFailures: 1 },
      fallbackModel: "haiku",
    });
    expect((await engine.execute(prompt, { model: "opus" })).text).toBe("1");
    expect((await engine.execute(prompt, { model: "opus" })).text).toBe("2");
    expect(waits).toEqual([]);
  });

  test("does not keep a turn from waiting for a breaker that the network opened", async () => {
    const { engine, calls, waits } = startScripted([{ ends: new NetworkError("Down") }, { says: "Done" }], {
      breaker: { maxFailures: 1 },
      fallbackModel: "haiku",
    });
    expect((await engine.execute(prompt, { model: "opus" })).text).toBe("Done");
    expect(calls.map(({ options }) => options.model)).toEqual(["opus", "opus"]);
    expect(waits).toEqual([60_000]);
  });

  test("is no help where the network is down or the prompt is wrong", async () => {
    for (const error of [new NetworkError("Down"), new ApiError("Bad", { kind: "invalid_request" })]) {
      const { engine, calls } = startScripted([{ ends: error }], { retry: { maxRetries: 0 }, fallbackModel: "haiku" });
      await engine.execute(prompt, { model: "opus" });
      expect(calls).toHaveLength(1);
    }
  });
});
