import { once } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { samplePrompt, startPromptBench } from "../../../test/support/prompt-bench.ts";
import { BudgetTracker, type Budget } from "../../core/index.ts";
import { ClaudeEngine } from "../../engine/internal.ts";
import { createFakeClock } from "../../testing/index.ts";
import { ToolResult } from "../tools/tool-result.ts";
import { tool } from "../tools/tool.ts";

const look = tool({ name: "look", description: "Look", handler: () => ToolResult.ok("seen") });
const script = [
  { call: { tool: "mcp__skein__look", input: {} } },
  { call: { tool: "Write", input: { file_path: "{{cwd}}/a.txt", content: "a" } } },
  { say: "Done." },
];

describe("the limits of an evaluation", () => {
  it.each<[string, Budget]>([
    ["output-tokens", { maxOutputTokens: 1 }],
    ["input-tokens", { maxInputTokens: 100 }],
    ["tokens", { maxTokens: 100 }],
    ["cost", { maxCostUsd: 0.001 }],
  ])("end it before the next call when %s is used up, and say so", async (dimension, budget) => {
    await using bench = await startPromptBench(script);
    const response = await bench
      .adapter()
      .evaluate(samplePrompt({ tools: [look] }), { session: bench.session, budget });
    expect(response.stopped).toMatchObject({ dimension, limit: Object.values(budget)[0] });
    expect(response.stopped?.used).toBeGreaterThanOrEqual(response.stopped?.limit ?? 0);
    expect(response.output).toBeUndefined();
    expect(bench.calls()).toEqual(["look denied"]);
    expect(bench.agent.requests).toHaveLength(1);
    expect(bench.events.at(-1)).toMatchObject({ type: "prompt-executed", stopped: { dimension } });
  });

  it("hold for native tools as for bridged ones, and a larger budget is enough", async () => {
    await using bench = await startPromptBench(script.slice(1));
    const { session } = bench;
    const small = await bench.adapter().evaluate(samplePrompt(), { session, budget: { maxOutputTokens: 1 } });
    expect(small.stopped).toMatchObject({ dimension: "output-tokens" });
    const large = await bench.adapter().evaluate(samplePrompt(), { session, budget: { maxOutputTokens: 10_000 } });
    expect(large).toMatchObject({ text: "Done." });
    expect(bench.calls()).toEqual(["Write denied", "Write ok"]);
  });

  it("end it in the middle where only the CLI knows what the model costs, and the call is cut off, not denied", async () => {
    let hasRun = false;
    const hang = tool({
      name: "look",
      description: "Hang",
      async handler(_, { signal }) {
        hasRun = true;
        await once(signal, "abort");
        return ToolResult.ok("too late");
      },
    });
    await using bench = await startPromptBench(script, { model: "claude-unheard-of-9" });
    const { session } = bench;
    const budget = { maxCostUsd: 0.001 };
    const response = await bench.adapter().evaluate(samplePrompt({ tools: [hang] }), { session, budget });
    expect(response.stopped).toEqual({ dimension: "cost", limit: 0.001, used: response.costUsd });
    expect(response.transition?.execution.error).toMatchObject({ kind: "budget", target: "maxCostUsd" });
    expect([response.output, response.denials]).toEqual([undefined, []]);
    expect([hasRun, bench.calls(), bench.agent.requests.length]).toEqual([true, ["look failed"], 1]);
    expect(bench.events.at(-1)).toMatchObject({ type: "prompt-executed", stopped: { dimension: "cost" } });
  });

  it("are spent by one evaluation for the next", async () => {
    await using bench = await startPromptBench(script);
    const { session } = bench;
    const budgetTracker = new BudgetTracker({ maxCostUsd: 0.001 });
    const response = await bench.adapter().evaluate(samplePrompt(), { session, budgetTracker });
    expect(budgetTracker.consumed.costUsd).toBe(response.costUsd);
    const next = await bench.adapter().evaluate(samplePrompt(), { session, budgetTracker });
    expect(next).toMatchObject({ stopped: { dimension: "cost", used: response.costUsd }, usage: { outputTokens: 0 } });
    expect(next.transition).toBeUndefined();
    expect(bench.events.map(({ type }) => type).slice(-2)).toEqual(["prompt-rendered", "prompt-executed"]);
  });

  it("end it at the deadline, before the next call", async () => {
    const clock = createFakeClock(Date.now());
    const wait = tool({
      name: "look",
      description: "Look",
      handler(_, { deadline }) {
        clock.advance(3_600_000);
        return ToolResult.ok(deadline);
      },
    });
    await using bench = await startPromptBench(script);
    const deadline = clock.now() + 3_000_000;
    const response = await bench
      .adapter({ clock })
      .evaluate(samplePrompt({ tools: [wait] }), { session: bench.session, deadline });
    expect(response.stopped).toEqual({ dimension: "deadline", limit: deadline, used: clock.now() });
    expect(bench.calls()).toEqual(["look ok", "Write denied"]);
    const late = await bench.adapter({ clock }).evaluate(samplePrompt(), { session: bench.session, deadline });
    expect(late).toMatchObject({ stopped: { dimension: "deadline" }, text: "" });
  });

  it("end it at the deadline while a tool hangs", async () => {
    let heard: AbortSignal | undefined;
    const clock = createFakeClock(Date.now());
    const hang = tool({
      name: "look",
      description: "Hang",
      handler(_, { signal }) {
        heard = signal;
        clock.advance(3000);
        return new Promise<never>(() => undefined);
      },
    });
    await using bench = await startPromptBench(script);
    const deadline = clock.now() + 3000;
    const response = await bench
      .adapter({ clock, engine: new ClaudeEngine(bench.agent.options, { clock }) })
      .evaluate(samplePrompt({ tools: [hang] }), { session: bench.session, deadline });
    expect(response.stopped).toMatchObject({ dimension: "deadline", limit: deadline });
    expect(bench.calls()).toEqual(["look failed"]);
    expect(heard?.aborted).toBe(true);
  });

  it("are counted while it runs as the CLI counts them in the end", async () => {
    await using bench = await startPromptBench(script);
    const budgetTracker = new BudgetTracker({ maxTokens: 100_000_000 });
    const live: unknown[] = [];
    const onMessage = (message: unknown): void => {
      const { costUsd: _, turns: __, responses: ___, ...counted } = budgetTracker.consumed;
      if ((message as { type: string }).type === "result") live.push(counted);
    };
    const adapter = bench.adapter({ options: { onMessage } });
    await adapter.evaluate(samplePrompt({ tools: [look] }), { session: bench.session, budgetTracker });
    const { costUsd, turns, responses: _, ...counted } = budgetTracker.consumed;
    expect(live).toEqual([counted]);
    expect(turns).toBe(1);
    expect(costUsd).toBeGreaterThan(0);
  });

  it("count sub-agents, while they run and exactly in the end", async () => {
    const seen: number[] = [];
    const count = tool({
      name: "count",
      description: "Count",
      async handler(_, { budget }) {
        // A call may come before what was said before it is read.
        const now = (): number => budget?.consumed.tokens ?? -1;
        await vi.waitFor(() => expect(now()).toBeGreaterThan(seen.at(-1) ?? 0), { timeout: 10_000 });
        seen.push(now());
        return ToolResult.ok("counted");
      },
    });
    const helper = {
      description: "help",
      prompt: "help me",
      subagent_type: "general-purpose",
      run_in_background: false,
    };
    await using bench = await startPromptBench({
      rules: [
        { when: { subagent: true }, steps: [{ call: { tool: "mcp__skein__count", input: {} } }, { say: "Helped." }] },
        {
          steps: [
            { call: { tool: "Agent", input: helper } },
            { call: { tool: "mcp__skein__count", input: {} } },
            { say: "Done." },
          ],
        },
      ],
    });
    const budgetTracker = new BudgetTracker({ maxTokens: 100_000_000 });
    const adapter = bench.adapter();
    const prompt = samplePrompt({ tools: [count] });
    const response = await adapter.evaluate(prompt, { session: bench.session, budgetTracker });
    expect(bench.calls()).toEqual(["count ok", "Agent ok", "count ok"]);
    const { tokens, costUsd, turns: _, responses: __, ...usage } = budgetTracker.consumed;
    expect(usage).toEqual(response.usage);
    expect(costUsd).toBe(response.costUsd);
    // Before the second count there were four responses, two of them the sub-agent's: all but the last word is counted.
    expect(bench.agent.requests.length).toBe(5);
    const [first = 0, second = 0] = seen;
    expect(first).toBeGreaterThan(0);
    expect(second).toBeGreaterThan(first);
    expect(second).toBeLessThan(tokens);
  });

  it("give a handler that is silent too long an end, and one with a heartbeat none", async () => {
    const clock = createFakeClock(Date.now());
    const work = tool({
      name: "look",
      description: "Work",
      params: z.object({ beats: z.boolean() }),
      async handler({ beats }, { heartbeat, signal }) {
        for (let step = 0; step < 3; step += 1) {
          clock.advance(600);
          await new Promise(setImmediate);
          if (beats) heartbeat();
        }
        signal.throwIfAborted();
        return ToolResult.ok("worked");
      },
    });
    const call = (beats: boolean) => ({ call: { tool: "mcp__skein__look", input: { beats } } });
    await using bench = await startPromptBench([call(true), call(false), { say: "Done." }]);
    const adapter = bench.adapter({ clock, toolIdleTimeoutMs: 1000 });
    await adapter.evaluate(samplePrompt({ tools: [work] }), { session: bench.session });
    const outputs = bench.events.flatMap((event) => (event.type === "tool-invoked" ? [event.output] : []));
    expect(outputs).toEqual(["worked", "The tool look failed: it was silent for 1000 ms"]);
  });
});
