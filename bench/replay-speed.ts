import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { query, type SDKUserMessage } from "@anthropic-ai/claude-agent-sdk";
import { AsyncQueue } from "skein/core";
import {
  BUILT_IN_SCENARIOS,
  offlineEnvironment,
  startOfflineServer,
  startRecordingProxy,
  startReplayServer,
  TODO_PROMPTS,
  type Scenario,
  type Step,
} from "skein/offline";
import type { Bench } from "./harness/bench.ts";
import { row } from "./harness/row.ts";

/** What a large model needs for a coding agent's prompt, on the side of fast: no thinking, no queue. */
const LATENCY = { firstTokenMs: 1500, tokensPerSecond: 60 };

export const replaySpeed: Bench = {
  name: "cassette",
  summary: "three turns of one CLI process that builds an app, from a cassette, beside the run that was recorded",
  async run() {
    const root = await mkdtemp(join(tmpdir(), "skein-bench-replay-"));
    try {
      const cassettePath = join(root, "run.jsonl");
      const recordedMs = await record(cassettePath, join(root, "recorded"));
      await using server = await startReplayServer({ cassettePath });
      const replayedMs = await runCli(server.url, join(root, "replayed"));
      if (server.unmatched.length > 0) throw new Error(server.unmatched[0]?.message);
      return [
        row({
          name: "cassette-replay",
          what: "replay of a cassette, the CLI's start and its real tools included",
          ours: replayedMs,
          unit: "ms",
          beside: { name: "at a model's speed", value: recordedMs },
        }),
      ];
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  },
};

async function record(cassettePath: string, cwd: string): Promise<number> {
  const scenario = BUILT_IN_SCENARIOS["todo"];
  if (scenario === undefined) throw new Error("There is no scenario todo");
  await using upstream = await startOfflineServer({ scenario: slowedDown(scenario) });
  const fetchSlowly: typeof fetch = async (...request) => {
    await sleep(LATENCY.firstTokenMs);
    return await fetch(...request);
  };
  await using proxy = await startRecordingProxy({ upstream: upstream.url, cassettePath, fetch: fetchSlowly });
  return await runCli(proxy.url, cwd);
}

/** The same scenario, each of its responses at a model's speed. */
function slowedDown(scenario: Scenario): Scenario {
  const drip: Step = { fail: { type: "drip", tokensPerSecond: LATENCY.tokensPerSecond } };
  const slow = (steps: readonly Step[]): readonly Step[] =>
    [drip, ...steps].flatMap((step): readonly Step[] => ("call" in step ? [step, drip] : [step]));
  const rules = scenario.rules.map((rule) => {
    const { steps } = rule;
    return steps === undefined || typeof steps === "function" ? rule : { ...rule, steps: slow(steps) };
  });
  return { ...scenario, rules };
}

/** Gives the prompts one after the other to one process; gives the time from its start to its end. */
async function runCli(url: string, cwd: string): Promise<number> {
  const home = `${cwd}-home`;
  await mkdir(cwd);
  await mkdir(home);
  const env = { PATH: process.env["PATH"], HOME: home, ...offlineEnvironment(url) };
  const options = { cwd, env, settingSources: [], permissionMode: "acceptEdits" as const, allowedTools: ["Bash"] };
  const startedMs = performance.now();
  const waiting = [...TODO_PROMPTS];
  const turns = new AsyncQueue<SDKUserMessage>();
  const next = async (): Promise<void> => {
    const content = waiting.shift();
    if (content === undefined) turns.end();
    else
      await turns.push({ type: "user", message: { role: "user", content }, parent_tool_use_id: null, session_id: "" });
  };
  await next();
  for await (const message of query({ prompt: turns, options })) {
    if (message.type !== "result") continue;
    if (message.is_error) throw new Error(JSON.stringify(message));
    await next();
  }
  return performance.now() - startedMs;
}
