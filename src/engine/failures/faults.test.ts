import { describe, expect, test } from "vitest";
import { ApiError, ClaudeAuthError, type SkeinEvent } from "../../core/index.ts";
import type { Fault } from "../../offline/index.ts";
import { startOfflineAgent, type OfflineAgent } from "../../testing/index.ts";
import { claudePrompt } from "../prompts/claude-prompt.ts";

const ALWAYS: readonly (readonly [Fault, object])[] = [
  [
    { type: "http", status: 400 },
    { name: "ApiError", kind: "invalid_request", retryable: false, status: 400 },
  ],
  [
    { type: "http", status: 401 },
    { name: "ClaudeAuthError", kind: "auth", retryable: false },
  ],
  [
    { type: "http", status: 402 },
    { name: "QuotaExceededError", kind: "quota", retryable: false, status: 402 },
  ],
  [
    { type: "http", status: 403 },
    { name: "ClaudeAuthError", kind: "auth", retryable: false, status: 403 },
  ],
  [
    { type: "http", status: 404 },
    { name: "InvalidModelError", kind: "invalid_model", retryable: false },
  ],
  [
    { type: "http", status: 413 },
    { name: "ApiError", kind: "invalid_request", retryable: false, status: 413 },
  ],
  [
    { type: "http", status: 429, retryAfterS: 0 },
    { name: "RateLimitError", kind: "rate_limit", retryable: true },
  ],
  [
    { type: "http", status: 500 },
    { name: "ApiError", kind: "server", retryable: true, status: 500 },
  ],
  [
    { type: "http", status: 529 },
    { name: "ApiError", kind: "overloaded", retryable: true, status: 529 },
  ],
  [{ type: "reset" }, { name: "NetworkError", kind: "network", retryable: true }],
  [
    { type: "refuse", forMs: 60_000 },
    { name: "NetworkError", kind: "network", retryable: true },
  ],
];

/** An error in a stream whose first block was whole: the CLI keeps what there is, and tells of the rest in its own words. */
const MID_RESPONSE: readonly (readonly [Fault, object])[] = [
  [
    { type: "error", status: 529, afterEvents: 7 },
    { name: "ApiError", kind: "overloaded", retryable: true, status: 529 },
  ],
  [
    { type: "error", status: 500, afterEvents: 7 },
    { name: "ApiError", kind: "server", retryable: true, status: 500 },
  ],
  [
    { type: "error", status: 402, afterEvents: 7 },
    { name: "QuotaExceededError", kind: "quota", retryable: false, status: 402 },
  ],
  [
    { type: "error", status: 400, afterEvents: 7 },
    { name: "ApiError", kind: "invalid_request", retryable: false, status: 400 },
  ],
  [
    { type: "cut", afterEvents: 7, afterMs: 50 },
    { name: "NetworkError", kind: "network", retryable: true },
  ],
];

const ONCE: readonly Fault[] = [
  { type: "http", status: 429, retryAfterS: 0, times: 1 },
  { type: "http", status: 500, times: 1 },
  { type: "http", status: 529, times: 1 },
  { type: "reset", times: 1 },
  { type: "refuse", forMs: 200, times: 1 },
  { type: "cut", afterEvents: 3, times: 1 },
  { type: "malformed", times: 1 },
  { type: "drip", tokensPerSecond: 200, times: 1 },
];

describe("a fault that stays", () => {
  test.each(ALWAYS)("%j is classified by the fields of the result", async (fault, expected) => {
    await using agent = await startFaulty(fault);
    const result = await agent.engine.execute(claudePrompt({ text: "Go" }));
    expect(result.isError).toBe(true);
    expect(result.error).toMatchObject(expected);
  });

  test.each([
    [{ type: "http", status: 403 }, ClaudeAuthError, { status: 403, kind: "auth" }],
    [{ type: "http", status: 529 }, ApiError, { status: 529, kind: "overloaded", retryable: true }],
  ] as const)("%j is thrown by run as its class, with its details", async (fault, type, expected) => {
    await using agent = await startFaulty(fault);
    const failed = agent.engine.run("Go");
    await expect(failed).rejects.toBeInstanceOf(type);
    await expect(failed).rejects.toMatchObject(expected);
  });

  test.each(MID_RESPONSE)(
    "%j in the middle of a response is told from a broken connection",
    async (fault, expected) => {
      const steps = [
        { say: "A whole block." },
        { say: "One that is never finished, for all its length." },
        { fail: fault },
      ];
      await using agent = await startOfflineAgent({ name: "broken-off", rules: [{ steps }] });
      const events: SkeinEvent[] = [];
      for await (const event of agent.engine.stream(claudePrompt("Go"))) events.push(event);
      const errors = events.flatMap((event) => (event.type === "error" ? [event.error] : []));
      expect(errors).toMatchObject([expected]);
      expect(events.at(-1)).toMatchObject({ type: "turn-end", result: { isError: true, error: expected } });
    },
  );

  test("a rate limit tells how long the API asked to wait, or longer", async () => {
    await using agent = await startFaulty({ type: "http", status: 429, retryAfterS: 2 });
    const { error } = await agent.engine.execute(claudePrompt("Go"));
    expect(error?.["retryAfterMs"]).toBeGreaterThanOrEqual(2000);
  });

  test("a stalled stream ends at the time limit", async () => {
    await using agent = await startFaulty({ type: "stall", afterEvents: 2 });
    const result = await agent.engine.execute(claudePrompt({ text: "Go" }), { timeoutMs: 3000 });
    expect(result.error).toMatchObject({ kind: "timeout", reason: "turn", retryable: false });
  });
});

describe("a fault that passes", () => {
  test.each(ONCE)("%j does not keep the CLI from its answer", async (fault) => {
    await using agent = await startFaulty(fault);
    const result = await agent.engine.execute(claudePrompt({ text: "Go" }));
    expect(result).toMatchObject({ text: "Author unknown: error, timeout, 429.", isError: false });
  });
});

/** The answer is full of words that a classifier by text would fall for. */
function startFaulty(fault: Fault): Promise<OfflineAgent> {
  const say = "Author unknown: error, timeout, 429.";
  const scenario = { name: "faulty", rules: [{ steps: [{ fail: fault }, { say }] }] };
  return startOfflineAgent(scenario, { env: { CLAUDE_CODE_MAX_RETRIES: "2" } });
}
