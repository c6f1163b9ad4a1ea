import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { query } from "@anthropic-ai/claude-agent-sdk";
import { ClaudeEngine, claudePrompt } from "skein/engine";
import { offlineEnvironment, startOfflineServer } from "skein/offline";
import { median } from "./statistics.ts";

const ROUNDS = 15;
const MODEL = "claude-sonnet-5-5";

/** Milliseconds from the call to the first thing that is heard of the turn, and to its result. */
interface Times {
  readonly firstMs: number;
  readonly resultMs: number;
}

/** What the engine adds to the bare SDK: both run the same turn in the same process, one after the other. */
export async function benchEngineOverhead(): Promise<readonly string[]> {
  const root = await mkdtemp(join(tmpdir(), "skein-bench-"));
  await using server = await startOfflineServer({
    scenario: { name: "bench", rules: [{ steps: [{ say: "A short answer to a short question." }] }] },
  });
  const env = { ...offlineEnvironment(server.url), HOME: root, CLAUDE_CONFIG_DIR: join(root, ".claude") };
  const bare: Times[] = [];
  const engine: Times[] = [];
  try {
    await timeBare(root, env);
    await timeEngine(root, env);
    for (let round = 0; round < ROUNDS; round += 1) {
      // Whoever goes second meets a warmer machine, so they take turns.
      const order = [
        () => timeBare(root, env).then((times) => bare.push(times)),
        () => timeEngine(root, env).then((times) => engine.push(times)),
      ];
      for (const run of round % 2 === 0 ? order : order.toReversed()) await run();
    }
  } finally {
    await rm(root, { recursive: true, force: true });
  }
  return [line("first event", bare, engine, "firstMs"), line("result", bare, engine, "resultMs")];
}

async function timeBare(cwd: string, env: Record<string, string>): Promise<Times> {
  const startedAt = performance.now();
  let firstMs = 0;
  let resultMs = 0;
  const options = {
    cwd,
    model: MODEL,
    settingSources: [],
    includePartialMessages: true,
    permissionMode: "default" as const,
  };
  const inherited = { PATH: process.env["PATH"], ...env };
  for await (const message of query({ prompt: "Answer", options: { ...options, env: inherited } })) {
    firstMs ||= performance.now() - startedAt;
    if (message.type === "result") resultMs = performance.now() - startedAt;
  }
  return { firstMs, resultMs };
}

async function timeEngine(cwd: string, env: Record<string, string>): Promise<Times> {
  const startedAt = performance.now();
  let firstMs = 0;
  let resultMs = 0;
  for await (const event of new ClaudeEngine({ cwd, model: MODEL, env }).stream(claudePrompt({ text: "Answer" }))) {
    firstMs ||= performance.now() - startedAt;
    if (event.type === "turn-end") resultMs = performance.now() - startedAt;
  }
  return { firstMs, resultMs };
}

function line(name: string, bare: readonly Times[], engine: readonly Times[], field: keyof Times): string {
  const sdkMs = median(bare.map((times) => times[field]));
  const skeinMs = median(engine.map((times) => times[field]));
  return `engine, ${name}: ${skeinMs.toFixed(0)} ms, bare SDK ${sdkMs.toFixed(0)} ms, ratio ${(skeinMs / sdkMs).toFixed(2)} (medians of ${ROUNDS})`;
}
