import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import type { SkeinEvent, TurnResult } from "../core/internal.ts";
import { claudePrompt, type ClaudePrompt, type ClaudeOptions, type Engine } from "../engine/internal.ts";
import { contractOf } from "./contract.ts";

const HELLO = claudePrompt({ text: "Say hello" });

/** What every engine keeps to. The engine under test has to answer the prompt `Say hello` with the text `hello`. */
export const ENGINE_CONTRACT = contractOf<(engine: Engine) => Promise<void>>({
  async "begins with turn-start and ends with turn-end"(engine) {
    const { events } = await collect(engine, HELLO);
    strictEqual(events.find(({ type }) => type !== "status")?.type, "turn-start");
    strictEqual(events.at(-1)?.type, "turn-end");
    strictEqual(events.filter(({ type }) => type === "turn-end").length, 1);
  },
  async "returns the result that turn-end carries"(engine) {
    const { events, result } = await collect(engine, HELLO);
    const last = events.at(-1);
    ok(last?.type === "turn-end");
    deepStrictEqual(last.result, result);
    strictEqual(result.text, "hello");
    strictEqual(result.isError, false);
    ok(result.sessionId.length > 0);
  },
  async "gives the same answer by execute and by run as by stream"(engine) {
    strictEqual((await engine.execute(HELLO)).text, "hello");
    strictEqual((await engine.run(HELLO)).text, "hello");
  },
  async "goes on in the same session on resume and in another on fork"(engine) {
    const { sessionId } = await engine.execute(HELLO);
    const resumed = await engine.execute(HELLO, { resume: sessionId });
    const forked = await engine.execute(HELLO, { resume: sessionId, forkSession: true });
    strictEqual(resumed.sessionId, sessionId);
    ok(forked.sessionId !== sessionId);
  },
  async "refuses an empty prompt before anything is run"(engine) {
    await rejects(engine.execute(claudePrompt({ text: "  " })), { kind: "usage" });
  },
  async "takes a plain string, and what an async iterable gives, and refuses what is no prompt"(engine) {
    async function* parts(): AsyncGenerator<string> {
      yield "Say hello";
    }
    strictEqual((await engine.execute("Say hello")).text, "hello");
    strictEqual((await engine.execute(parts())).text, "hello");
    for (const junk of [undefined, null, 7, {}, [], { text: 7 }, { text: "Say hello", attachments: "none" }]) {
      await rejects(engine.execute(junk as never), { kind: "usage" });
    }
  },
});

/** Runs a turn to its end and gives all of it. */
export async function collect(
  engine: Engine,
  prompt: ClaudePrompt,
  options?: ClaudeOptions,
): Promise<{ readonly events: readonly SkeinEvent[]; readonly result: TurnResult }> {
  const events: SkeinEvent[] = [];
  const stream = engine.stream(prompt, options);
  for (;;) {
    const { done, value } = await stream.next();
    if (done) return { events, result: value };
    events.push(value);
  }
}
