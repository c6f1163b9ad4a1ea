import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { TurnResult } from "../../core/index.ts";
import type { Fault, Scenario, Step } from "../../offline/index.ts";
import type { MessagesRequest } from "../../offline/internal.ts";
import { startOfflineAgent, type OfflineAgent } from "../../testing/index.ts";
import { collect } from "../../testing/internal.ts";
import type { ClaudeOptions } from "../options/claude-options.ts";
import { claudePrompt } from "../prompts/claude-prompt.ts";
import { createEngine, type Engine } from "../engine.ts";
import { createResilientEngine } from "./resilient-engine.ts";

const quick = { retry: { baseDelayMs: 10 } };
const write: Step = { call: { tool: "Write", input: { file_path: "{{cwd}}/a.txt", content: "once" } } };

describe("the real CLI, out of patience", () => {
  test("an API that is overloaded for longer than the CLI waits is outlasted", async () => {
    await using agent = await startImpatient(failingTimes(3, { type: "http", status: 529 }));
    const { events, result } = await collect(createResilientEngine(agent.engine, quick), claudePrompt({ text: "Go" }));
    expect(result).toMatchObject({ text: "Author unknown: error, 401.", isError: false });
    expect(events.filter(({ type }) => type === "turn-end")).toHaveLength(1);
    expect(events.filter((event) => event.type === "status" && event.status === "retrying")).toHaveLength(3);
    expect(agent.requests).toHaveLength(4);
  });

  test.each<Fault>([
    { type: "http", status: 500 },
    { type: "cut", afterEvents: 2 },
  ])("a turn that wrote a file and then met %j is resumed, not repeated", async (fault) => {
    await using agent = await startImpatient({
      name: "interrupted",
      rules: [
        { when: { prompt: "^Write" }, steps: [write, { fail: fault }] },
        { when: { prompt: "^Continue where you were interrupted" }, steps: [{ say: "Finished." }] },
      ],
    });
    const engine = createResilientEngine(agent.engine, quick);
    const { events, result } = await collect(engine, claudePrompt({ text: "Write it" }));
    expect(result).toMatchObject({ text: "Finished.", isError: false });
    expect(events.filter(({ type }) => type === "tool-end")).toHaveLength(1);
    expect(events).toContainEqual(
      expect.objectContaining({
        status: "resuming",
        detail: `the turn had done work: continuing in session ${result.sessionId}`,
      }),
    );
    const last = agent.requests.at(-1) as MessagesRequest;
    expect(JSON.stringify(last.messages).match(/"name":"Write"/g)).toHaveLength(1);
    expect(JSON.stringify(last.messages).match(/Write it/g)).toHaveLength(1);
    expect(await readFile(join(agent.cwd, "a.txt"), "utf8")).toBe("once");
  });

  test("a CLI that died while a tool was running is started again in its session", async () => {
    await using agent = await startImpatient(
      {
        name: "killed",
        rules: [
          {
            when: { prompt: "^Die" },
            steps: [{ call: { tool: "Bash", input: { command: "echo >> ran; kill -9 $PPID" } } }],
          },
          { when: { prompt: "^Continue" }, steps: [{ say: "Finished." }] },
        ],
      },
      { allowedTools: ["Bash"] },
    );
    const engine = createResilientEngine(agent.engine, quick);
    const { events, result } = await collect(engine, claudePrompt({ text: "Die" }));
    expect(events.find((event) => event.type === "status" && event.status === "retrying")).toMatchObject({
      detail: expect.stringContaining(": process: "),
    });
    expect(result).toMatchObject({ text: "Finished.", isError: false });
    expect(await readFile(join(agent.cwd, "ran"), "utf8")).toBe("\n");
  });

  test("the id that a session was to get is kept", async () => {
    await using agent = await startImpatient(failingTimes(1, { type: "http", status: 529 }));
    const sessionId = randomUUID();
    const result = await createResilientEngine(agent.engine, quick).execute(claudePrompt({ text: "Go" }), {
      sessionId,
    });
    expect(result).toMatchObject({ isError: false, sessionId });
  });

  test("what it cost is the sum of its attempts", async () => {
    await using agent = await startImpatient({
      name: "interrupted",
      rules: [
        { when: { prompt: "^Write" }, steps: [write, { fail: { type: "http", status: 500 } }] },
        { when: { prompt: "^Continue" }, steps: [{ say: "Finished." }] },
      ],
    });
    const results: TurnResult[] = [];
    const both = await createResilientEngine(recording(agent.engine, results), quick).execute(
      claudePrompt({ text: "Write it" }),
    );
    expect(results.map(({ isError }) => isError)).toEqual([true, false]);
    expect(both.responses).toBe(results[0]!.responses + results[1]!.responses);
    expect(results[0]!.costUsd).toBeGreaterThan(0);
    expect(both.costUsd).toBeCloseTo(results[0]!.costUsd + results[1]!.costUsd, 9);
  });

  test("credentials that are refused are not tried again", async () => {
    await using agent = await startImpatient(failingTimes(9, { type: "http", status: 401 }));
    const result = await createResilientEngine(agent.engine, quick).execute(claudePrompt({ text: "Go" }));
    expect(result.error).toMatchObject({ kind: "auth", retryable: false });
    expect(agent.requests).toHaveLength(1);
  });

  test("a fallback model answers where the first stays overloaded", async () => {
    await using agent = await startImpatient({
      name: "one model is down",
      rules: [
        { when: { model: "sonnet" }, steps: [{ fail: { type: "http", status: 529 } }] },
        { steps: [{ say: "Hello from the other one." }] },
      ],
    });
    const policy = { retry: { maxRetries: 1, baseDelayMs: 10 }, fallbackModel: "claude-haiku-4-5" };
    const result = await createResilientEngine(agent.engine, policy).execute(claudePrompt({ text: "Go" }));
    expect(result).toMatchObject({ text: "Hello from the other one.", model: "claude-haiku-4-5" });
  });
});

function startImpatient(scenario: Scenario, options: ClaudeOptions = {}): Promise<OfflineAgent> {
  return startOfflineAgent(scenario, { ...options, env: { CLAUDE_CODE_MAX_RETRIES: "0" } });
}

/** The engine itself, with the result of every turn that it runs. */
function recording(engine: Engine, results: TurnResult[]): Engine {
  return createEngine(async function* (prompt, options) {
    const result = yield* engine.stream(prompt, options);
    results.push(result);
    return result;
  });
}

/** A fault of the whole server: one with `times` would come back in every session, and a turn started again has a new one. */
function failingTimes(times: number, fault: Fault): Scenario {
  let failures = 0;
  const steps = (): readonly Step[] =>
    failures++ < times ? [{ fail: fault }] : [{ say: "Author unknown: error, 401." }];
  return { name: "faulty", rules: [{ steps }] };
}
