import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CanUseTool, PermissionResult, SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import { describe, expect, test } from "vitest";
import { createFakeClock } from "../../testing/index.ts";
import { type FakeClock } from "../../testing/internal.ts";
import type { ClaudeOptions } from "../options/claude-options.ts";
import { watchQuestions } from "../permissions/open-questions.ts";
import type { CliProcess } from "../processes/cli-process.ts";
import { watchTurn, type TurnLimits } from "./turn-limits.ts";

describe("a limit", () => {
  test("of time is passed when the turn takes longer", async () => {
    const { clock, limits } = watch({ timeoutMs: 5000 });
    clock.advance(4999);
    expect(await isPassed(limits)).toBe(false);
    clock.advance(1);
    expect((await limits.passed).toJSON()).toMatchObject({
      kind: "timeout",
      reason: "turn",
      timeoutMs: 5000,
      // The caller set it, so the engine does not try again.
      retryable: false,
    });
  });

  test.each([
    ["time", { timeoutMs: 5000 }, "turn"],
    ["silence", { idleTimeoutMs: 5000 }, "idle"],
  ] as const)("of %s does not count what a person takes to answer; a deadline does", async (_, options, reason) => {
    const clock = createFakeClock();
    const answers: (() => void)[] = [];
    const canUseTool = (): Promise<PermissionResult> =>
      new Promise((resolve) => answers.push(() => resolve({ behavior: "deny", message: "" })));
    const { watched, questions } = watchQuestions({ canUseTool }, clock);
    using limits = watchTurn(options, clock, { process: undefined, questions });
    using hard = watchTurn({ ...options, deadline: clock.now() + 60_000 }, clock, { process: undefined, questions });
    clock.advance(4000);
    const asked = (watched.canUseTool as CanUseTool)("Bash", {}, { toolUseID: "one" } as never);
    for (const ms of [1000, 59_000, 540_000]) {
      clock.advance(ms);
      expect(await isPassed(limits)).toBe(false);
    }
    expect((await hard.passed).toJSON()).toMatchObject({ reason: "deadline" });
    answers[0]?.();
    await asked;
    clock.advance(999);
    expect(await isPassed(limits)).toBe(false);
    // It looks again a second after the answer at the latest.
    clock.advance(1001);
    expect((await limits.passed).toJSON()).toMatchObject({ reason, timeoutMs: 5000 });
  });

  test("of time says what the API was answering while nothing else came", async () => {
    const { clock, limits } = watch({ timeoutMs: 5000 });
    const refusal = { type: "system", subtype: "api_retry", attempt: 1, error_status: 529, retry_delay_ms: 10 };
    for (let attempt = 0; attempt < 3; attempt += 1) limits.heard(refusal as unknown as SDKMessage, false);
    clock.advance(5000);
    expect((await limits.passed).toJSON()).toMatchObject({
      kind: "timeout",
      message: "The turn took longer than 5000 ms; the API had answered 529 (overloaded) 3 times and nothing else",
      apiStatus: 529,
      apiRefusals: 3,
    });
  });

  test("of time does not blame the API for refusals that an answer came after", async () => {
    const { clock, limits } = watch({ timeoutMs: 5000 });
    const refusal = { type: "system", subtype: "api_retry", attempt: 1, error_status: 529, retry_delay_ms: 10 };
    limits.heard(refusal as unknown as SDKMessage, false);
    limits.heard(delta("word"), false);
    clock.advance(5000);
    expect((await limits.passed).message).toBe("The turn took longer than 5000 ms");
  });

  test("of time is two hours unless said otherwise", async () => {
    const { clock, limits } = watch({ idleTimeoutMs: 10_000_000 });
    clock.advance(7_199_999);
    expect(await isPassed(limits)).toBe(false);
    clock.advance(1);
    expect((await limits.passed).toJSON()).toMatchObject({ reason: "turn", timeoutMs: 7_200_000, target: "timeoutMs" });
  });

  test("of silence is passed when no token comes, and put off by every one", async () => {
    const { clock, limits } = watch({ idleTimeoutMs: 1000 });
    clock.advance(900);
    limits.heard(delta("word"), false);
    clock.advance(900);
    expect(await isPassed(limits)).toBe(false);
    clock.advance(100);
    expect((await limits.passed).toJSON()).toMatchObject({
      kind: "timeout",
      reason: "idle",
      retryable: true,
      target: "idleTimeoutMs",
      hint: expect.stringContaining("Raise `idleTimeoutMs`"),
    });
  });

  test.each([
    ["a ping", { type: "stream_event", event: { type: "ping" } }],
    ["a delta with nothing in it", delta("")],
    ["a block that begins", { type: "stream_event", event: { type: "content_block_start", index: 0 } }],
    ["the end of a message", { type: "stream_event", event: { type: "message_stop" } }],
    ["no more thinking", { type: "system", subtype: "thinking_tokens", estimated_tokens_delta: 0 }],
    ["the state of a rate limit", { type: "rate_limit_event" }],
    ["what nobody knows", { type: "heartbeat" }],
  ])("of silence is not put off by %s", async (_, message) => {
    const { clock, limits } = watch({ idleTimeoutMs: 1000 });
    for (let tenth = 0; tenth < 10; tenth += 1) {
      limits.heard(message as unknown as SDKMessage, false);
      clock.advance(100);
    }
    expect(await limits.passed).toMatchObject({ reason: "idle" });
  });

  test("of silence does not count the time in which a tool runs", async () => {
    const { clock, limits } = watch({ idleTimeoutMs: 1000 });
    limits.heard(delta("word"), true);
    clock.advance(1_000_000);
    limits.heard(delta("word"), true);
    clock.advance(1_000_000);
    limits.heard(delta("word"), false);
    clock.advance(999);
    expect(await isPassed(limits)).toBe(false);
    clock.advance(1);
    expect(await limits.passed).toMatchObject({ reason: "idle" });
  });

  test("of silence is five minutes unless said otherwise", async () => {
    const { clock, limits } = watch({});
    clock.advance(299_999);
    expect(await isPassed(limits)).toBe(false);
    clock.advance(1);
    expect(await limits.passed).toMatchObject({ timeoutMs: 300_000 });
  });

  test.each([
    ["the agent", null, undefined, 500, "The turn has taken the 500 responses it may take"],
    ["the agent", null, 3, 3, "The turn has taken the 3 responses it may take"],
    ["a sub-agent", "call", 3, 500, "A sub-agent has taken the 500 responses it may take"],
    ["a sub-agent", "call", 600, 600, "A sub-agent has taken the 600 responses it may take"],
  ])("of responses is passed when %s takes more (%s, %s)", async (_, parent, maxResponses, limit, message) => {
    const { limits } = watch(maxResponses === undefined ? {} : { maxResponses });
    for (let number = 0; number < limit; number += 1)
      for (const each of response(number, parent)) limits.heard(each, false);
    expect(await isPassed(limits)).toBe(false);
    for (const each of response(limit, parent)) limits.heard(each, false);
    const hint = "Raise `maxResponses`, or resume the session to continue.";
    expect((await limits.passed).toJSON()).toMatchObject({ kind: "budget", target: "maxResponses", message, hint });
  });

  test("by a deadline is passed when it comes, at once when it is over", async () => {
    const clock = createFakeClock();
    const { limits } = watch({ deadline: clock.now() + 10 }, clock);
    clock.advance(10);
    expect(await limits.passed).toMatchObject({ reason: "deadline" });
    const late = watch({ deadline: clock.now() - 10 }, clock);
    clock.advance(0);
    expect(await late.limits.passed).toMatchObject({ reason: "deadline" });
  });

  test("by a signal is passed also when it was aborted before", async () => {
    const { limits } = watch({ signal: AbortSignal.abort() });
    expect(await limits.passed).toMatchObject({ kind: "cancelled" });
  });

  test("of memory is passed when the process tree holds more", async () => {
    const sizes = [100, 300];
    const process = {
      limitMemory: () => Promise.resolve("samples"),
      ranOutOfMemoryBy: () => undefined,
      measureBytes: () => Promise.resolve((sizes.shift() ?? 300) * 1024 ** 2),
    } as unknown as CliProcess;
    const { clock, limits } = watch({ memoryLimitMb: 200 }, createFakeClock(), process);
    expect(await isPassed(limits)).toBe(false);
    clock.advance(250);
    expect((await limits.passed).toJSON()).toMatchObject({
      kind: "resource_exhausted",
      resource: "memory",
      limitedBy: "samples",
    });
  });

  test("of processes is passed when the tree has more", async () => {
    const counts = [60, 61];
    const process = { countProcesses: () => Promise.resolve(counts.shift() ?? 61) } as unknown as CliProcess;
    const { clock, limits } = watch({ maxProcesses: 60 }, createFakeClock(), process);
    expect(await isPassed(limits)).toBe(false);
    clock.advance(100);
    expect((await limits.passed).toJSON()).toMatchObject({ kind: "resource_exhausted", resource: "processes" });
  });

  test("of the disk is passed when the turn's folders have grown by more, the home among them", async () => {
    const cwd = await mkdtemp(join(tmpdir(), "skein-limits-"));
    const home = await mkdtemp(join(tmpdir(), "skein-limits-"));
    await writeFile(join(cwd, "before"), Buffer.alloc(200_000));
    const clock = createFakeClock();
    let limits: TurnLimits | undefined;
    await new Promise<void>((looked) => {
      const sleep: FakeClock["sleep"] = (ms, signal) => (ms === 250 && looked(), clock.sleep(ms, signal));
      const options = { cwd, env: { HOME: home }, maxDiskBytes: 100_000 };
      limits = watch(options, { ...clock, sleep }).limits;
    });
    await writeFile(join(home, "more"), Buffer.alloc(150_000));
    clock.advance(250);
    expect((await limits?.passed)?.toJSON()).toMatchObject({ kind: "resource_exhausted", resource: "disk" });
    await Promise.all([cwd, home].map((folder) => rm(folder, { recursive: true })));
  });

  test("by the caller's signal is passed on abort", async () => {
    const controller = new AbortController();
    const { limits } = watch({ signal: controller.signal });
    controller.abort();
    expect(await limits.passed).toMatchObject({ kind: "cancelled" });
  });

  test("is not passed any more once the turn is over", async () => {
    const { clock, limits } = watch({ timeoutMs: 10, idleTimeoutMs: 10 });
    limits[Symbol.dispose]();
    clock.advance(1000);
    expect(await isPassed(limits)).toBe(false);
  });
});

function delta(text: string): SDKMessage {
  const event = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } };
  return { type: "stream_event", event } as unknown as SDKMessage;
}

/** A response as the SDK tells it: its beginning, then each of its blocks under the same id. A sub-agent's beginning is not told. */
function response(number: number, parent: string | null): readonly SDKMessage[] {
  const message = { id: `msg_${number}`, model: "claude-sonnet-5-5" };
  const block = { type: "assistant", message, parent_tool_use_id: parent };
  const start = { type: "stream_event", event: { type: "message_start", message }, parent_tool_use_id: parent };
  return (parent === null ? [start, block, block] : [block, block]) as unknown as SDKMessage[];
}

function watch(
  options: ClaudeOptions,
  clock: FakeClock = createFakeClock(),
  process?: CliProcess,
): { readonly clock: FakeClock; readonly limits: TurnLimits } {
  const { questions } = watchQuestions({}, clock);
  return { clock, limits: watchTurn(options, clock, { process, questions }) };
}

/** Whether the limit is passed after everything that was due has run. */
async function isPassed({ passed }: TurnLimits): Promise<boolean> {
  for (let round = 0; round < 20; round += 1) await Promise.resolve();
  return await Promise.race([passed.then(() => true), Promise.resolve(false)]);
}
