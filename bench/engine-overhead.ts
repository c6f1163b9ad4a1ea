import { query, type Options } from "@anthropic-ai/claude-agent-sdk";
import { ClaudeEngine, claudePrompt, type Engine } from "skein/engine";
import { startBenchAgent } from "./bench-agent.ts";
import { compare, report, type Times } from "./compare.ts";

const ROUNDS = 15;

/** What the engine adds to the bare SDK where each turn starts a process. */
export async function benchEngineOverhead(): Promise<readonly string[]> {
  await using agent = await startBenchAgent();
  const engine = new ClaudeEngine(agent.skein);
  const { skein, sdk } = await compare(ROUNDS, { skein: () => timeEngine(engine), sdk: () => timeSdk(agent.sdk) });
  return [
    report("cold query, first event", skein.firstMs, sdk.firstMs),
    report("cold query, result", skein.resultMs, sdk.resultMs),
  ];
}

/** Times a turn of the bare SDK, its process's end included in the wait but not in the times. */
export async function timeSdk(options: Options): Promise<Times> {
  const startedAt = performance.now();
  let firstMs = 0;
  let resultMs = 0;
  for await (const message of query({ prompt: "Answer", options })) {
    firstMs ||= performance.now() - startedAt;
    if (message.type === "result") resultMs = performance.now() - startedAt;
  }
  return { firstMs, resultMs };
}

/** Times a turn of an engine in the same way. */
export async function timeEngine(engine: Engine): Promise<Times> {
  const startedAt = performance.now();
  let firstMs = 0;
  let resultMs = 0;
  for await (const event of engine.stream(claudePrompt("Answer"))) {
    firstMs ||= performance.now() - startedAt;
    if (event.type === "turn-end") resultMs = performance.now() - startedAt;
  }
  return { firstMs, resultMs };
}
