import { prewarm, query, type Options, type Query, type SDKUserMessage } from "@anthropic-ai/claude-agent-sdk";
import { AsyncQueue } from "skein/core";
import { ClaudeEngine, ClaudeSDKClient, WarmPool } from "skein/engine";
import { startBenchAgent } from "./bench-agent.ts";
import { compare, report, type Times } from "./compare.ts";
import { timeEngine, timeSdk } from "./engine-overhead.ts";

const CLAIMS = 10;
const TURNS = 80;

/** Turns that start no process: from a spare, and later ones in a conversation. */
export async function benchWarmTurns(): Promise<readonly string[]> {
  return [...(await benchClaims()), ...(await benchLaterTurns())];
}

async function benchClaims(): Promise<readonly string[]> {
  await using agent = await startBenchAgent();
  await using pool = new WarmPool();
  const engine = new ClaudeEngine(agent.skein, { pool });
  const { skein, sdk } = await compare(CLAIMS, {
    async skein() {
      await engine.warm();
      return await timeEngine(engine);
    },
    sdk: () => timeSdkClaim(agent.sdk),
  });
  const cold = await timeSdk(agent.sdk);
  const { p50Ms, p95Ms, hits, misses } = pool.statistics();
  return [
    report("warm claim, first event", skein.firstMs, sdk.firstMs),
    report("warm claim, result", skein.resultMs, sdk.resultMs),
    `warm claim, first event: ${(skein.firstMs / cold.firstMs).toFixed(2)} of a cold query() (${cold.firstMs.toFixed(0)} ms)`,
    `warm pool: ${hits} hits, ${misses} misses, claims p50 ${p50Ms} ms, p95 ${p95Ms} ms`,
  ];
}

async function timeSdkClaim(options: Options): Promise<Times> {
  const { cwd = ".", model, permissionMode, ...startUp } = options;
  const spare = await prewarm({ options: startUp });
  const startedAt = performance.now();
  const claim = { cwd, ...(model ? { model } : {}), ...(permissionMode ? { permissionMode } : {}) };
  return await readTurn(spare.claim({ prompt: "Answer", options: claim }), startedAt, () => false);
}

async function benchLaterTurns(): Promise<readonly string[]> {
  await using agent = await startBenchAgent();
  await using client = new ClaudeSDKClient(agent.skein);
  const input = new AsyncQueue<SDKUserMessage>();
  const bare = query({ prompt: input, options: agent.sdk });
  const { skein, sdk } = await compare(TURNS, {
    async skein() {
      const startedAt = performance.now();
      await client.query("Answer");
      let firstMs = 0;
      for await (const { type } of client.receiveResponse()) {
        if (type === "turn-start") firstMs = performance.now() - startedAt;
      }
      return { firstMs, resultMs: performance.now() - startedAt };
    },
    async sdk() {
      const startedAt = performance.now();
      await input.push({ type: "user", message: { role: "user", content: "Answer" }, parent_tool_use_id: null });
      return await readTurn(bare, startedAt, ({ type }) => type === "result");
    },
  });
  input.end();
  bare.close();
  return [
    report("later turn, first event", skein.firstMs, sdk.firstMs),
    report("later turn, result", skein.resultMs, sdk.resultMs),
  ];
}

async function readTurn(
  running: Query,
  startedAt: number,
  isOver: (message: { readonly type: string }) => boolean,
): Promise<Times> {
  let firstMs = 0;
  let resultMs = 0;
  for (;;) {
    const { done, value } = await running.next();
    if (done) return { firstMs, resultMs };
    if (value.type === "system" && value.subtype === "init") firstMs ||= performance.now() - startedAt;
    if (value.type === "result") resultMs = performance.now() - startedAt;
    if (isOver(value)) return { firstMs, resultMs };
  }
}
