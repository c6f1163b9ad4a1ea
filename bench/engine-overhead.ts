import { query, type Options } from "@anthropic-ai/claude-agent-sdk";
import { ClaudeEngine, claudePrompt, type Engine } from "skein/engine";
import { startBenchAgent } from "./bench-agent.ts";
import { alternate } from "./harness/alternate.ts";
import type { Bench } from "./harness/bench.ts";
import { row } from "./harness/row.ts";

const ROUNDS = 15;

/** Milliseconds from the call to the first thing that is heard of the turn, and to its result. */
export type Times = Readonly<Record<"firstMs" | "resultMs", number>>;

export const engineOverhead: Bench = {
  name: "engine",
  summary: "what the engine adds to the bare SDK where each turn starts a process",
  async run() {
    await using agent = await startBenchAgent();
    const engine = new ClaudeEngine(agent.skein);
    const { skein, sdk } = await alternate(ROUNDS, { skein: () => timeEngine(engine), sdk: () => timeSdk(agent.sdk) });
    const figures = (figure: keyof Times) =>
      ({ ours: skein[figure], unit: "ms", beside: { name: "bare SDK", value: sdk[figure] } }) as const;
    return [
      row({ name: "cold-first-event", what: "cold turn, first event", ...figures("firstMs") }),
      row({ name: "cold-result", what: "cold turn, result", ...figures("resultMs") }),
    ];
  },
};

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
