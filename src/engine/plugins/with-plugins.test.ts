import { describe, expect, it } from "vitest";
import { createSpyEngine } from "../../../test/support/spy-engine.ts";
import type { SkeinEvent, TurnResult } from "../../core/index.ts";
import { ENGINE_CONTRACT, createFakeClock, createFakeEngine } from "../../testing/index.ts";
import { collect } from "../../testing/internal.ts";
import { claudePrompt } from "../prompts/claude-prompt.ts";
import type { PluginFailure } from "./skein-plugin.ts";
import type { SkeinPlugin } from "./skein-plugin.ts";
import { withPlugins } from "./with-plugins.ts";

const prompt = claudePrompt({ text: "Say hello" });
const echo = createFakeEngine(({ text }) => `echo: ${text}`);

const types = (events: readonly SkeinEvent[]): readonly string[] =>
  events.map((event) => (event.type === "status" ? `status ${event.status}: ${event.detail}` : event.type));

describe("withPlugins", () => {
  it.each(ENGINE_CONTRACT)("$name", async ({ check }) => {
    const watcher: SkeinPlugin = { name: "watcher", beforeQuery: () => ({}), onMessage: async (event) => event };
    const breaking: SkeinPlugin = {
      name: "breaking",
      onMessage: () => {
        throw new Error("no");
      },
    };
    await check(
      withPlugins(
        createFakeEngine(() => "hello"),
        [watcher, breaking],
      ),
    );
  });

  it("changes nothing without plugins", async () => {
    const clock = createFakeClock();
    const bare = createFakeEngine(() => "hello", clock);
    const plugged = withPlugins(
      createFakeEngine(() => "hello", clock),
      [],
    );
    expect(await collect(plugged, prompt)).toEqual(await collect(bare, prompt));
  });

  it("refuses two plugins of one name", () => {
    expect(() => withPlugins(echo, [{ name: "a" }, { name: "a" }])).toThrow(
      expect.objectContaining({ kind: "config", target: "a" }),
    );
  });

  it("calls hooks in the order of the plugins, each for the same turn, with what the ones before made of it", async () => {
    const log: string[] = [];
    const plugin = (name: string): SkeinPlugin => ({
      name,
      async beforeQuery({ prompt: given }) {
        log.push(`${name} before ${given.text}`);
        return { prompt: { ...given, text: `${given.text}${name}` } };
      },
      async onMessage(event, turn) {
        if (event.type !== "text") return event;
        log.push(`${name} message ${event.text} for ${turn.prompt.text}`);
        return { ...event, text: `${event.text}${name}` };
      },
      afterQuery(result) {
        log.push(`${name} after ${result?.isError}`);
      },
    });
    const { engine, asked } = createSpyEngine();
    const plugged = withPlugins(engine, [plugin("1"), plugin("2")]);
    const { events } = await collect(plugged, claudePrompt({ text: "a" }));
    expect(asked.map(([given]) => given)).toMatchObject([{ text: "a12" }]);
    expect(log).toEqual([
      "1 before a",
      "2 before a1",
      "1 message echo: a12 for a12",
      "2 message echo: a121 for a12",
      "1 after false",
      "2 after false",
    ]);
    expect(events.find(({ type }) => type === "text")).toMatchObject({ text: "echo: a1212" });
  });

  it("puts options over those of the turn", async () => {
    const { engine, asked } = createSpyEngine();
    const plugin: SkeinPlugin = { name: "a", beforeQuery: () => ({ options: { maxResponses: 2 } }) };
    await withPlugins(engine, [plugin]).execute(prompt, { cwd: "/tmp", maxResponses: 9 });
    expect(asked).toEqual([[prompt, { cwd: "/tmp", maxResponses: 2 }]]);
  });

  it("drops and multiplies events, and returns the result that turn-end carries", async () => {
    const plugin: SkeinPlugin = {
      name: "a",
      onMessage(event) {
        if (event.type === "text")
          return [event, { type: "custom", timestamp: event.timestamp, name: "seen", data: 1 }];
        return event.type === "turn-end" ? { ...event, result: { ...event.result, text: "changed" } } : event;
      },
    };
    const dropping: SkeinPlugin = { name: "b", onMessage: (event) => (event.type === "text" ? undefined : event) };
    const { events, result } = await collect(withPlugins(echo, [plugin, dropping]), prompt);
    expect(types(events)).toEqual(["turn-start", "custom", "turn-end"]);
    expect(events.at(-1)).toMatchObject({ result });
    expect(result.text).toBe("changed");
  });

  it.each<[string, SkeinPlugin["onMessage"]]>([
    ["drops everything", () => undefined],
    ["ends the turn early", (event) => (event.type === "text" ? end() : event)],
    ["speaks after the end", (event) => (event.type === "turn-end" ? [event, status()] : event)],
    ["speaks before the start", (event) => (event.type === "turn-start" ? [status(), event] : event)],
    ["begins the turn twice", (event) => (event.type === "turn-start" ? [event, event] : event)],
    ["makes the end something else", (event) => (event.type === "turn-end" ? status() : event)],
  ])("keeps the bounds of the turn under a plugin that %s", async (_name, onMessage) => {
    const failures: PluginFailure[] = [];
    const plugged = withPlugins(echo, [{ name: "a", ...(onMessage ? { onMessage } : {}) }], {
      onPluginError: (failure) => failures.push(failure),
    });
    const { events, result } = await collect(plugged, prompt);
    const bounds = events.filter(({ type }) => type.startsWith("turn-")).map(({ type }) => type);
    expect(bounds).toEqual(["turn-start", "turn-end"]);
    expect([events.at(-1)?.type, result.text]).toEqual(["turn-end", "echo: Say hello"]);
    expect(failures[0]).toMatchObject({ plugin: "a", hook: "onMessage", error: { kind: "usage" } });
  });
});

describe("a plugin that fails", () => {
  const broken = (hook: keyof SkeinPlugin, how: "throws" | "rejects"): SkeinPlugin => ({
    name: "broken",
    [hook]: () => {
      if (how === "rejects") return Promise.reject(new Error(`${hook} broke`));
      throw new Error(`${hook} broke`);
    },
  });

  it.each(
    (["beforeQuery", "onMessage", "afterQuery"] as const).flatMap((hook) =>
      (["throws", "rejects"] as const).map((how) => [hook, how] as const),
    ),
  )("in %s, because it %s, is reported once, and the turn goes on without it", async (hook, how) => {
    const failures: PluginFailure[] = [];
    const after: SkeinPlugin = {
      name: "after",
      beforeQuery: ({ prompt: given }) => ({ prompt: { ...given, text: `${given.text}!` } }),
    };
    const plugged = withPlugins(echo, [broken(hook, how), after], {
      onPluginError: (failure) => failures.push(failure),
    });
    const { events, result } = await collect(plugged, prompt);
    expect(types(events).filter((type) => type.startsWith("status"))).toEqual([
      `status plugin-error: broken: ${hook} broke`,
    ]);
    expect(events.at(-1)?.type).toBe("turn-end");
    expect(result).toMatchObject({ text: "echo: Say hello!", isError: false });
    expect(failures[0]).toMatchObject({ plugin: "broken", hook, error: { message: `${hook} broke` } });
  });

  it("goes on being called: at each event it is as if only that call had not been", async () => {
    let calls = 0;
    const flaky: SkeinPlugin = {
      name: "flaky",
      onMessage(event) {
        calls += 1;
        if (event.type === "turn-start") throw new Error("not yet");
        return event.type === "text" ? { ...event, text: "seen" } : event;
      },
    };
    const { events } = await collect(withPlugins(echo, [flaky]), prompt);
    expect(types(events)).toEqual(["status plugin-error: flaky: not yet", "turn-start", "text", "turn-end"]);
    expect([events[2], calls]).toMatchObject([{ text: "seen" }, 3]);
  });

  it("is reported through the plugins that did not fail", async () => {
    const masking: SkeinPlugin = {
      name: "masking",
      onMessage: (event) => (event.type === "status" ? { ...event, detail: "masked" } : event),
    };
    const { events } = await collect(withPlugins(echo, [broken("beforeQuery", "throws"), masking]), prompt);
    expect(types(events)[0]).toBe("status plugin-error: masked");
  });

  it("does not go on for ever with another that fails at its failures", async () => {
    let count = 0;
    const noisy = (name: string): SkeinPlugin => ({
      name,
      onMessage: () => {
        throw new Error(`failure ${(count += 1)}`);
      },
    });
    const { events } = await collect(withPlugins(echo, [noisy("a"), noisy("b"), noisy("c")]), prompt);
    expect(events.filter(({ type }) => type !== "status").map(({ type }) => type)).toEqual([
      "turn-start",
      "text",
      "turn-end",
    ]);
    expect(count).toBeLessThan(40);
  });

  it("is isolated even where the one who is told fails too", async () => {
    const onPluginError = (): void => {
      throw new Error("log full");
    };
    const plugged = withPlugins(echo, [broken("onMessage", "throws")], { onPluginError });
    expect((await plugged.execute(prompt)).text).toBe("echo: Say hello");
  });

  it("by never answering is given up after a time", async () => {
    const clock = createFakeClock();
    const hanging: SkeinPlugin = { name: "hanging", beforeQuery: () => new Promise(() => {}) };
    const stream = withPlugins(echo, [hanging], { clock, hookTimeoutMs: 5000 }).stream(prompt);
    const first = stream.next();
    clock.advance(5000);
    expect((await first).value).toMatchObject({
      status: "plugin-error",
      detail: "hanging: beforeQuery took longer than 5000 ms",
    });
    await stream.return(undefined as never);
  });

  it("by never answering is given up when the turn is cancelled", async () => {
    const controller = new AbortController();
    const hanging: SkeinPlugin = { name: "hanging", beforeQuery: () => new Promise(() => {}) };
    const result = withPlugins(echo, [hanging]).execute(prompt, { signal: controller.signal });
    controller.abort();
    expect((await result).error?.kind).toBe("cancelled");
  });
});

function status(): SkeinEvent {
  return { type: "status", timestamp: "2026-11-15T06:00:00.000Z", status: "made-up" };
}

function end(): SkeinEvent {
  const result = { text: "early" } as TurnResult;
  return { type: "turn-end", timestamp: "2026-11-15T06:00:00.000Z", result };
}
