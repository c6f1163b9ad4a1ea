import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { query } from "@anthropic-ai/claude-agent-sdk";
import {
  BUILT_IN_SCENARIOS,
  offlineEnvironment,
  startOfflineServer,
  startRecordingProxy,
  startReplayServer,
  type Scenario,
  type Step,
} from "skein/offline";

/** How long a run of the real CLI took with a model's latency, and from its cassette. */
export interface ReplaySpeed {
  readonly name: "replay-speed";
  readonly recordedMs: number;
  readonly replayedMs: number;
  /** How many times faster the replay was, the CLI's start and its tools included. */
  readonly ratio: number;
}

/** What large models write in a second; their wait before the first token is left out. */
const TOKENS_PER_SECOND = 60;
const PROMPT = "Build a TODO app";

/** Records a run of the real CLI with a model's latency, and replays it. */
export async function benchReplay(): Promise<ReplaySpeed> {
  const root = await mkdtemp(join(tmpdir(), "skein-bench-replay-"));
  try {
    const cassettePath = join(root, "run.jsonl");
    const recordedMs = await record(cassettePath, root);
    await using server = await startReplayServer({ cassettePath });
    const replayedMs = await runCli(server.url, join(root, "replayed"));
    if (server.unmatched.length > 0) throw new Error(server.unmatched[0]?.message);
    return { name: "replay-speed", recordedMs, replayedMs, ratio: recordedMs / replayedMs };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function record(cassettePath: string, root: string): Promise<number> {
  const scenario = BUILT_IN_SCENARIOS["todo"];
  if (scenario === undefined) throw new Error("There is no scenario todo");
  await using upstream = await startOfflineServer({ scenario: slowedDown(scenario) });
  await using proxy = await startRecordingProxy({ upstream: upstream.url, cassettePath });
  return await runCli(proxy.url, join(root, "recorded"));
}

/** The same scenario, each of its responses at a model's speed. */
function slowedDown(scenario: Scenario): Scenario {
  const drip: Step = { fail: { type: "drip", tokensPerSecond: TOKENS_PER_SECOND } };
  const slow = (steps: readonly Step[]): readonly Step[] =>
    [drip, ...steps].flatMap((step) => ("call" in step ? [step, drip] : [step]));
  const rules = scenario.rules.map((rule) => {
    const { steps } = rule;
    return steps === undefined || typeof steps === "function" ? rule : { ...rule, steps: slow(steps) };
  });
  return { ...scenario, rules };
}

async function runCli(url: string, cwd: string): Promise<number> {
  const home = `${cwd}-home`;
  await mkdir(cwd);
  await mkdir(home);
  const env = { PATH: process.env["PATH"], HOME: home, ...offlineEnvironment(url) };
  const startedMs = performance.now();
  const options = { cwd, env, settingSources: [], permissionMode: "acceptEdits" as const, allowedTools: ["Bash"] };
  for await (const message of query({ prompt: PROMPT, options })) {
    if (message.type === "result" && message.is_error) throw new Error(JSON.stringify(message));
  }
  return performance.now() - startedMs;
}
