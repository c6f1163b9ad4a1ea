import { describe, expect, test } from "vitest";
import type { TurnResult } from "../../core/index.ts";
import type { Fault, Step } from "../../offline/index.ts";
import { startOfflineAgent } from "../../testing/index.ts";
import type { ClaudeOptions } from "../options/claude-options.ts";
import { claudePrompt } from "../prompts/claude-prompt.ts";
import { ClaudeSDKClient } from "../claude-sdk-client.ts";
import { createResilientEngine } from "../resilience/resilient-engine.ts";

const LONG = "A text that takes many deltas until it is over, and that nobody ever sees the end of.";

describe("a stream that brings nothing", () => {
  test.each<Fault>([
    { type: "pings", afterEvents: 5, everyMs: 20 },
    { type: "pings", afterEvents: 5, everyMs: 20, sends: "empty-delta" },
    { type: "stall", afterEvents: 5 },
  ])("%j ends by the limit on silence", async (fault) => {
    const { result } = await runFaulty(fault, { idleTimeoutMs: 1500 });
    expect(result.error).toMatchObject({ kind: "timeout", reason: "idle", target: "idleTimeoutMs", timeoutMs: 1500 });
  });

  test("ends by the limit on its time where a token comes now and then", async () => {
    const { result } = await runFaulty({ type: "drip", tokensPerSecond: 1 }, { timeoutMs: 3000 });
    expect(result.error).toMatchObject({ kind: "timeout", reason: "turn", target: "timeoutMs" });
  });
});

test("a loop of tools ends by the limit on responses, in each turn of a conversation anew", async () => {
  const steps = (): Step[] =>
    Array.from({ length: 50 }, () => ({ call: { tool: "Read", input: { file_path: "none" } } }));
  await using agent = await startOfflineAgent({ name: "loop", rules: [{ steps }] });
  await using client = new ClaudeSDKClient({ ...agent.options, maxResponses: 3 });
  for (const prompt of ["Loop", "Loop again"]) {
    const result = await client.ask(prompt);
    expect(result).toMatchObject({ isError: true, terminalReason: "max_turns" });
    expect(result.error).toMatchObject({
      kind: "budget",
      target: "maxResponses",
      hint: "Raise `maxResponses`, or resume the session to continue.",
    });
  }
  expect(agent.requests).toHaveLength(6);
});

describe("a refusal is told when it is known", () => {
  test("401 after the CLI has renewed what it has, not after all of its retries", async () => {
    const { result, requests } = await runFaulty({ type: "http", status: 401 });
    expect(result.error).toMatchObject({ name: "ClaudeAuthError", kind: "auth", status: 401, retryable: false });
    expect(requests).toBe(2);
  });

  test("429 at once, with how long the API asked to wait", async () => {
    const { result, requests } = await runFaulty({ type: "http", status: 429, retryAfterS: 30 });
    expect(result.error).toMatchObject({
      name: "RateLimitError",
      kind: "rate_limit",
      retryable: true,
      retryAfterMs: 30_000,
    });
    expect(requests).toBe(1);
  });

  test("in a conversation too, which goes on after it", async () => {
    await using agent = await startRefusing(1);
    await using client = new ClaudeSDKClient(agent.options);
    expect((await client.ask("Go")).error).toMatchObject({ kind: "rate_limit" });
    const { sessionId } = client;
    expect(await client.ask("Go on")).toMatchObject({ isError: false, text: LONG, sessionId });
  });

  test("and tried again where a policy asks for more, or the CLI was told how often", async () => {
    await using agent = await startRefusing(2);
    const resilient = createResilientEngine(agent.engine, { retry: { baseDelayMs: 1, jitter: 0 } });
    expect(await resilient.execute(claudePrompt("Go"))).toMatchObject({ isError: false, text: LONG });
    await using patient = await startRefusing(2, { env: { CLAUDE_CODE_MAX_RETRIES: "2" } });
    expect(await patient.engine.execute(claudePrompt("Go"))).toMatchObject({ isError: false, text: LONG });
  });
});

/** An API that refuses so many requests, whoever sends them. */
function startRefusing(count: number, options: ClaudeOptions = {}) {
  let left = count;
  const refused: Step[] = [{ fail: { type: "http", status: 429, retryAfterS: 0 } }, { say: LONG }];
  const steps = (): readonly Step[] => (left-- > 0 ? refused : [{ say: LONG }]);
  return startOfflineAgent({ name: "refusing", rules: [{ steps }] }, options);
}

function startFaulty(fault: Fault, options: ClaudeOptions = {}) {
  return startOfflineAgent({ name: "faulty", rules: [{ steps: [{ fail: fault }, { say: LONG }] }] }, options);
}

async function runFaulty(
  fault: Fault,
  options: ClaudeOptions = {},
): Promise<{ readonly result: TurnResult; readonly requests: number }> {
  await using agent = await startFaulty(fault, options);
  const result = await agent.engine.execute(claudePrompt("Go"));
  return { result, requests: agent.requests.length };
}
