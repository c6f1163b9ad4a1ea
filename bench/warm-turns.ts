import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prewarm, query, type Options, type Query, type SDKUserMessage } from "@anthropic-ai/claude-agent-sdk";
import { AsyncQueue } from "skein/core";
import { ClaudeEngine, ClaudeSDKClient, WarmPool } from "skein/engine";
import { Conversation } from "skein/trace";
import { Workspace } from "skein/workspace";
import { startBenchAgent } from "./bench-agent.ts";
import { timeEngine, timeSdk, type Times } from "./engine-overhead.ts";
import { alternate, timeOf } from "./harness/alternate.ts";
import type { Bench } from "./harness/bench.ts";
import { row, type Aim, type Row } from "./harness/row.ts";

const CLAIMS = 10;
const TURNS = 80;
const RECORDED = 7;

export const warmTurns: Bench = {
  name: "warm",
  summary: "turns that start no process: from a spare, and later ones in a conversation",
  async run(tell) {
    tell("claims of a spare");
    const claims = await benchClaims();
    tell("turns of a recorded conversation with a pool");
    const recorded = await benchRecordedClaims();
    tell("later turns");
    return [...claims, ...recorded, ...(await benchLaterTurns())];
  },
};

async function benchClaims(): Promise<readonly Row[]> {
  await using agent = await startBenchAgent();
  await using pool = new WarmPool();
  const engine = new ClaudeEngine(agent.skein, { pool });
  const { skein, sdk } = await alternate(CLAIMS, {
    async skein() {
      await engine.warm();
      const times = await timeEngine(engine);
      // The next spare starts after the turn: that is not the other side's to wait for.
      await engine.warm();
      return times;
    },
    sdk: () => timeSdkClaim(agent.sdk),
  });
  const cold = await timeSdk(agent.sdk);
  const { hits, misses } = pool.statistics();
  return [
    besideSdk("warm-claim-first-event", "warm claim, first event", { skein, sdk, figure: "firstMs" }),
    besideSdk("warm-claim-result", "warm claim, result", {
      skein,
      sdk,
      figure: "resultMs",
      aim: { of: "ratio", atMost: 1.05 },
    }),
    row({
      name: "warm-claim-beside-cold",
      what: "warm claim, first event",
      ours: skein.firstMs,
      unit: "ms",
      beside: { name: "cold query()", value: cold.firstMs },
    }),
    row({
      name: "warm-hits",
      what: "hits of a warm pool, bare engine",
      ours: hits,
      unit: "",
      beside: { name: "asked", value: hits + misses },
    }),
  ];
}

/** The first turn of a recorded conversation, from a spare and from a process of its own; and how many of the spares are taken. */
async function benchRecordedClaims(): Promise<readonly Row[]> {
  await using agent = await startBenchAgent();
  await using pool = new WarmPool();
  const [warm, cold] = [new ClaudeEngine(agent.skein, { pool }), new ClaudeEngine(agent.skein)];
  const root = await mkdtemp(join(tmpdir(), "skein-bench-warm-"));
  try {
    await using workspace = await Workspace.open(join(root, "workspace"), { home: join(root, "home") });
    const firstTurn = async (engine: ClaudeEngine): Promise<{ readonly ms: number }> => {
      await using conversation = await Conversation.start(workspace, { engine });
      return await timeOf(() => conversation.send("Answer"));
    };
    const times = await alternate(RECORDED, {
      async warm() {
        await warm.warm();
        const taken = await firstTurn(warm);
        await warm.warm();
        return taken;
      },
      cold: () => firstTurn(cold),
    });
    const { hits, misses } = pool.statistics();
    return [
      row({
        name: "warm-hits-recorded",
        what: "hits of a warm pool, recorded turns",
        ours: hits,
        unit: "",
        beside: { name: "asked", value: hits + misses },
        aim: { of: "ratio", atLeast: 1 },
      }),
      row({
        name: "warm-recorded-turn",
        what: "first turn of a recorded conversation, warm",
        ours: times.warm.ms,
        unit: "ms",
        beside: { name: "without a pool", value: times.cold.ms },
      }),
    ];
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

function besideSdk(
  name: string,
  what: string,
  { skein, sdk, figure, aim }: { readonly skein: Times; readonly sdk: Times; figure: keyof Times; aim?: Aim },
): Row {
  const beside = { name: "bare SDK", value: sdk[figure] };
  return row({ name, what, ours: skein[figure], unit: "ms", beside, ...(aim && { aim }) });
}

async function timeSdkClaim(options: Options): Promise<Times> {
  const { cwd = ".", model, permissionMode, ...startUp } = options;
  const spare = await prewarm({ options: startUp });
  const startedAt = performance.now();
  const claim = { cwd, ...(model ? { model } : {}), ...(permissionMode ? { permissionMode } : {}) };
  return await readTurn(spare.claim({ prompt: "Answer", options: claim }), startedAt, () => false);
}

async function benchLaterTurns(): Promise<readonly Row[]> {
  await using agent = await startBenchAgent();
  await using client = new ClaudeSDKClient(agent.skein);
  const input = new AsyncQueue<SDKUserMessage>();
  const bare = query({ prompt: input, options: agent.sdk });
  const { skein, sdk } = await alternate(TURNS, {
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
    besideSdk("later-turn-first-event", "later turn, first event", { skein, sdk, figure: "firstMs" }),
    besideSdk("later-turn-result", "later turn, result", { skein, sdk, figure: "resultMs" }),
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
