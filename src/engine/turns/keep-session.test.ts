import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { drain, type TurnResult } from "../../core/index.ts";
import { defineScenario, type Step } from "../../offline/index.ts";
import { createFakeEngine, startOfflineAgent, type OfflineAgent } from "../../testing/index.ts";
import { ClaudeEngine } from "../claude-engine.ts";
import { claudePrompt } from "../prompts/claude-prompt.ts";
import type { Engine, EngineSession } from "../engine.ts";
import { createCostGuard } from "../plugins/cost-guard.ts";
import { createRedactor } from "../secrets/redactor.ts";
import type { SkeinPlugin } from "../plugins/skein-plugin.ts";
import { withPlugins } from "../plugins/with-plugins.ts";
import { ProcessManager } from "../processes/process-manager.ts";
import { createResilientEngine } from "../resilience/resilient-engine.ts";

const SECRET = `ghp_${"aB3dE6gH9".repeat(4)}`;

let failures = 0;
const failing = (): readonly Step[] =>
  failures-- > 0 ? [{ fail: { type: "http", status: 529 } }] : [{ say: "recovered" }];

const scenario = defineScenario({
  name: "kept sessions",
  rules: [
    { when: { prompt: "^Say (.+)" }, steps: [{ say: "{{1}}" }] },
    { when: { prompt: "^Fail", model: "sonnet" }, steps: failing },
    { when: { prompt: "^Fail" }, steps: [{ say: "from the other model" }] },
  ],
});

let agent: OfflineAgent;
let processes: ProcessManager;
let engine: Engine;
let started: (readonly string[])[];

beforeAll(async () => {
  agent = await startOfflineAgent(scenario, { env: { CLAUDE_CODE_MAX_RETRIES: "0" } });
  processes = new ProcessManager(join(agent.home, "processes"));
  const spawn = processes.spawn.bind(processes);
  processes.spawn = (wanted, ...given) => {
    started.push(wanted.args);
    return spawn(wanted, ...given);
  };
  engine = new ClaudeEngine(agent.options, { processes });
});

beforeEach(() => {
  started = [];
  failures = 0;
  agent.forget();
});

afterAll(async () => {
  await processes[Symbol.asyncDispose]();
  await agent.close();
});

const quick = { retry: { maxRetries: 3, baseDelayMs: 10 } };

describe.each([
  ["plugins", () => withPlugins(engine, [createRedactor(), createCostGuard({ maxCostUsd: 10 })])],
  ["resilience", () => createResilientEngine(engine, quick)],
  ["both", () => withPlugins(createResilientEngine(engine, quick), [createRedactor()])],
])("a session through %s", (_, wrap) => {
  test("keeps its process from turn to turn, and takes options for one turn", async () => {
    await using session = open(wrap());
    const texts = [];
    for (const word of ["one", "two", "three"]) texts.push((await ask(session, `Say ${word}`)).text);
    expect(texts).toEqual(["one", "two", "three"]);
    const other = await drain(session.stream(claudePrompt("Say four"), { model: "claude-opus-5-5" }));
    expect(other).toMatchObject({ text: "four", model: "claude-opus-5-5" });
    await session.setModel?.("claude-haiku-4-5");
    expect(await ask(session, "Say five")).toMatchObject({ text: "five", model: "claude-haiku-4-5" });
    expect(started).toHaveLength(1);
    expect(processes.processes()).toHaveLength(1);
    expect(() => session.stream(claudePrompt("Say six"), { modle: "x" } as object)).toThrow("There is no option modle");
    await session[Symbol.asyncDispose]();
    expect(processes.processes()).toEqual([]);
  });
});

test("an engine that cannot keep a session does not say so when it is wrapped", () => {
  const fake = createFakeEngine(() => "done");
  expect(withPlugins(fake, []).open).toBeUndefined();
  expect(createResilientEngine(fake).open).toBeUndefined();
});

test("plugins see every turn of a kept session, and keep what they keep", async () => {
  await using session = open(withPlugins(engine, [createRedactor()]));
  await ask(session, "Say one");
  expect((await ask(session, `Say ${SECRET}`)).text).toBe("[redacted github-token]");
  expect(JSON.stringify(agent.requests)).not.toContain(SECRET);
  expect(session.addPrompt).toBeUndefined();
});

test("an option that a plugin changes for a turn, and that no process can be told, has a new process take the session up", async () => {
  let fallbackModel = "claude-haiku-4-5";
  const changing: SkeinPlugin = { name: "changing", beforeQuery: () => ({ options: { fallbackModel } }) };
  await using session = open(withPlugins(engine, [changing]));
  const first = await ask(session, "Say one");
  await ask(session, "Say two");
  expect(started).toHaveLength(1);
  fallbackModel = "claude-opus-5-5";
  const third = await ask(session, "Say three");
  expect(started).toHaveLength(2);
  expect(third.sessionId).toBe(first.sessionId);
  expect(JSON.stringify(agent.requests.at(-1)?.messages)).toContain("Say one");
  expect(started.map((args) => args.join(" ").includes(fallbackModel))).toEqual([false, true]);
});

test("a kept session outlasts an overloaded API, and falls back to another model, in one process", async () => {
  await using session = open(createResilientEngine(engine, { ...quick, fallbackModel: "claude-haiku-4-5" }));
  await ask(session, "Say one");
  failures = 2;
  expect(await ask(session, "Fail, then recover")).toMatchObject({ text: "recovered", isError: false });
  failures = 9;
  expect(await ask(session, "Fail for good")).toMatchObject({
    text: "from the other model",
    model: "claude-haiku-4-5",
  });
  failures = 0;
  expect(await ask(session, "Say two")).toMatchObject({ text: "two", model: "claude-sonnet-5-5" });
  expect(started).toHaveLength(1);
});

function open(wrapped: Engine): EngineSession {
  if (!wrapped.open) throw new Error("The engine keeps no session");
  return wrapped.open();
}

async function ask(session: EngineSession, text: string): Promise<TurnResult> {
  return await drain(session.stream(claudePrompt(text)));
}
