import { expect, test } from "vitest";
import { z } from "zod";
import { createResilientEngine } from "../../src/engine/index.ts";
import { BudgetTracker, type Usage } from "../../src/core/index.ts";
import { addUsage, NO_USAGE } from "../../src/core/internal.ts";
import {
  ClaudeAgentSDKAdapter,
  eventLog,
  PromptSession,
  tool,
  ToolResult,
  type ToolInvoked,
} from "../../src/prompt/index.ts";
import { startOfflineAgent } from "../../src/testing/index.ts";
import { samplePrompt } from "../support/prompt-bench.ts";

const EVALUATIONS = 50;
const AT_ONCE = 6;

interface StreamMessage {
  readonly type: string;
  readonly session_id: string;
  readonly event?: {
    readonly message?: { readonly id: string; readonly usage: Readonly<Record<string, number>> };
    readonly usage?: Readonly<Record<string, number>>;
  };
}

/** What the model's own stream says, by session and response: counted apart from all that is to be tested. */
function createTeller(): { read(message: unknown): void; sum(): Usage } {
  const told = new Map<string, Usage>();
  const open = new Map<string, string>();
  return {
    read(message) {
      const { type, session_id: session, event } = message as StreamMessage;
      if (type !== "stream_event" || !event) return;
      if (event.message) {
        const { id, usage } = event.message;
        open.set(session, `${session} ${id}`);
        told.set(`${session} ${id}`, {
          inputTokens: usage["input_tokens"] ?? 0,
          outputTokens: usage["output_tokens"] ?? 0,
          cacheReadTokens: usage["cache_read_input_tokens"] ?? 0,
          cacheWriteTokens: usage["cache_creation_input_tokens"] ?? 0,
        });
      } else if (event.usage) {
        const key = open.get(session) ?? "";
        told.set(key, { ...(told.get(key) ?? NO_USAGE), outputTokens: event.usage["output_tokens"] ?? 0 });
      }
    },
    sum: () => [...told.values()].reduce(addUsage, NO_USAGE),
  };
}

test("fifty evaluations at once share tools, a session and a tracker: every call is seen once, every token counted once", async () => {
  await using agent = await startOfflineAgent({
    name: "fifty",
    rules: [
      {
        when: { prompt: "number (\\d+)" },
        steps: [
          {
            call: [
              { tool: "mcp__skein__square", input: { of: 1 } },
              { tool: "mcp__skein__square", input: { of: 1 } },
            ],
          },
          { call: { tool: "Write", input: { file_path: "{{cwd}}/{{1}}.txt", content: "{{1}}" } } },
          { output: { number: "{{1}}" } },
        ],
      },
    ],
  });
  const handled: string[] = [];
  const square = tool({
    name: "square",
    description: "Square a number",
    params: z.object({ of: z.number() }),
    handler({ of }, { callId }) {
      handled.push(callId);
      return ToolResult.ok(of * of);
    },
  });
  const engine = createResilientEngine(agent.engine, { bulkhead: { maxConcurrent: AT_ONCE, maxWaiting: EVALUATIONS } });
  const session = new PromptSession();
  const budgetTracker = new BudgetTracker({ maxTokens: 1_000_000_000 });
  const teller = createTeller();
  const adapter = new ClaudeAgentSDKAdapter({ engine, options: { onMessage: teller.read } });
  const output = z.object({ number: z.string() });

  const responses = await Promise.all(
    Array.from({ length: EVALUATIONS }, async (_, index) => {
      const prompt = samplePrompt({ tools: [square], output, text: `number ${index}` });
      return await adapter.evaluate(prompt, { session, budgetTracker });
    }),
  );

  expect(responses.map((response) => response.output?.number)).toEqual(responses.map((_, index) => String(index)));
  const { tokens: _, turns: __, responses: ___, costUsd, ...usage } = budgetTracker.consumed;
  expect(usage).toEqual(responses.map((response) => response.usage).reduce(addUsage, NO_USAGE));
  expect(usage).toEqual(teller.sum());
  expect(costUsd).toBeCloseTo(
    responses.reduce((sum, response) => sum + response.costUsd, 0),
    9,
  );

  const events = session.slice(eventLog).all;
  const calls = events.filter((event): event is ToolInvoked => event.type === "tool-invoked");
  const ids = new Set(calls.map(({ evaluationId, callId }) => `${evaluationId} ${callId}`));
  expect(calls.map(({ success }) => success)).toEqual(calls.map(() => true));
  expect([calls.length, ids.size]).toEqual([EVALUATIONS * 4, EVALUATIONS * 4]);
  expect(handled).toHaveLength(EVALUATIONS * 2);
  for (const id of new Set(calls.map(({ evaluationId }) => evaluationId))) {
    const own = calls.filter(({ evaluationId }) => evaluationId === id).map(({ name }) => name);
    expect(own.toSorted()).toEqual(["StructuredOutput", "Write", "square", "square"]);
  }
  const count = (wanted: string): number => events.filter(({ type }) => type === wanted).length;
  expect([count("prompt-rendered"), count("prompt-executed")]).toEqual([EVALUATIONS, EVALUATIONS]);
}, 300_000);
