import { describe, expect, it } from "vitest";
import { createSpyEngine } from "../../../test/support/spy-engine.ts";
import { SkeinError, drain, type SkeinEvent, type TurnResult } from "../../core/index.ts";
import { createFakeEngine } from "../../testing/index.ts";
import { collect } from "../../testing/internal.ts";
import { claudePrompt } from "../prompts/claude-prompt.ts";
import { createEngine, type Engine } from "../engine.ts";
import type { SkeinPlugin } from "./skein-plugin.ts";
import { withPlugins } from "./with-plugins.ts";

const prompt = claudePrompt({ text: "Say hello" });
const echo = createFakeEngine(({ text }) => `echo: ${text}`);

/** An engine that fails so many times with this error, and then answers; each attempt costs 0.25 USD. */
function failing(times: number, kind: "overloaded" | "cancelled" = "overloaded"): Engine {
  let left = times;
  const engine = createFakeEngine(() => (left-- > 0 ? new SkeinError("Busy", { kind, retryable: true }) : "at last"));
  const pricing: SkeinPlugin = {
    name: "pricing",
    onMessage: (event) =>
      event.type === "turn-end" ? { ...event, result: { ...event.result, costUsd: 0.25 } } : event,
  };
  return withPlugins(engine, [pricing]);
}

const types = (events: readonly SkeinEvent[]): readonly string[] =>
  events.map((event) => (event.type === "status" ? `status ${event.status}: ${event.detail}` : event.type));

describe("a plugin that refuses", () => {
  it("ends the turn at once with an error of the kind policy, and nothing is run", async () => {
    const { engine, asked } = createSpyEngine();
    const ended: (TurnResult | undefined)[] = [];
    const refusing: SkeinPlugin = {
      name: "hours",
      beforeQuery: () => ({ refuse: "Not at night", hint: "Come back." }),
    };
    const never: SkeinPlugin = {
      name: "never",
      beforeQuery: () => expect.unreachable(),
      onError: () => expect.unreachable(),
      afterQuery: (result) => void ended.push(result),
    };
    const plugged = withPlugins(engine, [refusing, never]);
    const { events, result } = await collect(plugged, prompt, { resume: "session-1", model: "m" });
    expect(types(events)).toEqual(["turn-end"]);
    expect(result).toEqual({
      text: "",
      sessionId: "session-1",
      isError: true,
      error: {
        name: "SkeinError",
        kind: "policy",
        message: "Not at night",
        retryable: false,
        target: "hours",
        hint: "Come back.",
      },
      terminalReason: "refused",
      usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
      usageByModel: {},
      costUsd: 0,
      durationMs: 0,
      responses: 0,
      model: "m",
      permissionDenials: [],
    });
    expect([asked, ended]).toEqual([[], [result]]);
  });

  it("may say which kind of error it is", async () => {
    const refusing: SkeinPlugin = { name: "a", beforeQuery: () => ({ refuse: "Spent", kind: "budget" }) };
    expect((await withPlugins(echo, [refusing]).execute(prompt)).error).toMatchObject({ kind: "budget", target: "a" });
  });
});

describe("a plugin that asks for a retry", () => {
  const retrying = (name: string, change: object = {}): SkeinPlugin => ({
    name,
    onError: ({ error }) => (error.retryable ? { retry: true, ...change } : undefined),
  });

  it("has the turn run again, as one turn with one end that counts what all attempts cost", async () => {
    const { engine, asked } = createSpyEngine(failing(1));
    const { events, result } = await collect(withPlugins(engine, [retrying("again")]), prompt);
    expect(types(events)).toEqual([
      "turn-start",
      "error",
      "status plugin-retry: again: attempt 2 after overloaded",
      "turn-start",
      "text",
      "turn-end",
    ]);
    expect(result).toMatchObject({ text: "at last", isError: false, costUsd: 0.5, responses: 2 });
    expect(asked.length).toBe(2);
  });

  it("may change the next attempt", async () => {
    const { engine, asked } = createSpyEngine(failing(1));
    const shorter = claudePrompt({ text: "hello?" });
    const change = { prompt: shorter, options: { model: "another" } };
    await withPlugins(engine, [retrying("again", change)]).execute(prompt, { maxResponses: 3 });
    expect(asked).toEqual([
      [prompt, { maxResponses: 3 }],
      [shorter, { maxResponses: 3, model: "another" }],
    ]);
  });

  it("gets one attempt in a turn, and all plugins together no more than the cap", async () => {
    const plugins = ["a", "b", "c", "d", "e"].map((name) => retrying(name));
    const [one, all, capped] = [createSpyEngine(failing(9)), createSpyEngine(failing(9)), createSpyEngine(failing(9))];
    expect((await withPlugins(one.engine, plugins.slice(0, 1)).execute(prompt)).error?.kind).toBe("overloaded");
    await withPlugins(all.engine, plugins).execute(prompt);
    await withPlugins(capped.engine, plugins, { maxPluginRetries: 1 }).execute(prompt);
    expect([one.asked.length, all.asked.length, capped.asked.length]).toEqual([2, 4, 2]);
  });

  it("has a retry again in the next turn", async () => {
    const { engine, asked } = createSpyEngine(failing(3));
    const plugged = withPlugins(engine, [retrying("again")]);
    await plugged.execute(prompt);
    expect((await plugged.execute(prompt)).text).toBe("at last");
    expect(asked.length).toBe(4);
  });

  it("shares the turn's budget between attempts, and gets none where it is spent", async () => {
    const { engine, asked } = createSpyEngine(failing(9));
    const plugged = withPlugins(engine, [retrying("a"), retrying("b"), retrying("c")]);
    expect((await plugged.execute(prompt, { maxCostUsd: 0.6 })).costUsd).toBe(0.75);
    expect(asked.map(([, options]) => options?.maxCostUsd)).toEqual([0.6, 0.35, 0.1]);
  });

  it("may fail at it: that is reported, and the turn ends as it failed", async () => {
    const broken: SkeinPlugin = {
      name: "broken",
      onError: () => {
        throw new Error("onError broke");
      },
    };
    const { events, result } = await collect(withPlugins(failing(1), [broken]), prompt);
    expect(types(events)).toEqual(["turn-start", "error", "status plugin-error: broken: onError broke", "turn-end"]);
    expect(result.error?.kind).toBe("overloaded");
  });

  it("gets none for a turn that was cancelled", async () => {
    const controller = new AbortController();
    const { engine, asked } = createSpyEngine(failing(9, "cancelled"));
    const plugged = withPlugins(engine, [retrying("again")]);
    const stream = plugged.stream(prompt, { signal: controller.signal });
    await stream.next();
    controller.abort();
    expect((await drain(stream)).error?.kind).toBe("cancelled");
    expect(asked.length).toBe(1);
  });
});

describe("afterQuery", () => {
  const noting = (log: unknown[]): SkeinPlugin => ({ name: "noting", afterQuery: (result) => void log.push(result) });

  it("is called once, with no result, when the stream is left early, and the engine's stream is ended", async () => {
    const log: unknown[] = [];
    const endless = createEngine(async function* (...args) {
      try {
        return yield* echo.stream(...args);
      } finally {
        log.push("closed");
      }
    });
    for await (const event of withPlugins(endless, [noting(log)]).stream(prompt)) if (event.type === "text") break;
    expect(log).toEqual(["closed", undefined]);
  });

  it("is called once, with the result, when the stream is left at its end", async () => {
    const log: unknown[] = [];
    const stream = withPlugins(echo, [noting(log)]).stream(prompt);
    for await (const event of stream) if (event.type === "turn-end") break;
    expect(log).toEqual([expect.objectContaining({ text: "echo: Say hello" })]);
  });

  it("is called with no result when the turn could not be run, and the error comes through", async () => {
    const log: unknown[] = [];
    const plugged = withPlugins(echo, [noting(log)]);
    await expect(plugged.execute(claudePrompt({ text: " " }))).rejects.toMatchObject({ kind: "usage" });
    expect(log).toEqual([undefined]);
  });
});
