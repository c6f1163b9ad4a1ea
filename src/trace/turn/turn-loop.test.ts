import { readdir } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bash } from "../../../test/support/direct-script.ts";
import { startTracedAgent, type TracedAgent } from "../../../test/support/traced-agent.ts";
import { spendingOf, type Clock, type ErrorRecord, type TurnResult } from "../../core/index.ts";
import { sumSpending, systemClock, tokensOf } from "../../core/internal.ts";
import { ClaudeEngine, createEngine, type ClaudeOptions } from "../../engine/index.ts";
import { ProcessManager } from "../../engine/internal.ts";
import { createFakeClock } from "../../testing/index.ts";
import type { Workspace } from "../../workspace/index.ts";
import { Conversation } from "../conversation/conversation.ts";
import { TraceIndex } from "../state-index/trace-index.ts";
import { refuseTurn, runTurnLoop, type LoopEvent, type LoopTurn, type TurnLoop } from "./turn-loop.ts";

const SLOW = { timeout: 120_000 } as const;

let traced: TracedAgent;

beforeAll(async () => {
  traced = await startTracedAgent();
});

afterAll(() => traced.close());

/** A loop on the real CLI, whose moments a test can seize. */
interface TestLoop extends AsyncDisposable {
  readonly workspace: Workspace;
  readonly conversation: Conversation;
  readonly processes: ProcessManager;
  readonly cancel: AbortController;
  /** Runs a loop; `at` is called with each event. */
  run(loop: Partial<TurnLoop> & { at?: (event: LoopEvent) => void }): Promise<LoopEnd>;
}

interface LoopEnd {
  readonly turns: readonly LoopTurn[];
  readonly error?: ErrorRecord | undefined;
}

async function runLoop(conversation: Conversation, loop: TurnLoop, at: (event: LoopEvent) => void): Promise<LoopEnd> {
  const events = runTurnLoop(conversation, loop);
  for (;;) {
    const { done, value } = await events.next();
    if (done) return { turns: value, error: value.at(-1)?.error };
    at(value);
  }
}

async function openLoop(options: ClaudeOptions = {}, clock: Clock = systemClock): Promise<TestLoop> {
  const workspace = await traced.workspace({ clock });
  const processes = new ProcessManager();
  const cancel = new AbortController();
  const engine = new ClaudeEngine(traced.agent.options, { processes, clock });
  const conversation = await Conversation.start(workspace, { engine, options });
  return {
    workspace,
    conversation,
    processes,
    cancel,
    async run({ at = () => {}, ...given }) {
      const loop = { prompt: "say hello", maxTurns: 3, signal: cancel.signal, processes, ...given };
      return await runLoop(conversation, loop, at);
    },
    async [Symbol.asyncDispose]() {
      await conversation.close();
      await processes[Symbol.asyncDispose]();
    },
  };
}

/** Everything that a turn could have changed. */
async function present({ workspace }: TestLoop): Promise<unknown> {
  const { states } = workspace;
  return {
    head: await states.head(),
    tips: [...(await states.tips())],
    files: await readdir(workspace.path),
    held: [...(await states.held())],
  };
}

function reasons({ turns }: LoopEnd): readonly string[] {
  return turns.map(({ stopReason }) => stopReason);
}

/** The tokens of the turns. */
function usedBy({ turns }: LoopEnd): number {
  return turns.reduce((sum, { result }) => sum + (result ? tokensOf(result.usage) : 0), 0);
}

function costOf({ turns }: LoopEnd): number {
  return sumSpending(turns.flatMap(({ result }) => (result ? [spendingOf(result)] : []))).costUsd;
}

function judged(turn: LoopTurn | undefined): Partial<LoopTurn> {
  const { stopReason, isStopProven, isReusable } = turn as LoopTurn;
  return { stopReason, isStopProven, isReusable };
}

const REFUSED = { isStopProven: false, isReusable: true } as const;
const STOPPED = { isStopProven: true, isReusable: true } as const;

/** The moments of a turn, each with a prompt whose turn stays there. */
const MOMENTS = [
  ["while it streams", 'say word word word\nfail {"type":"stall","afterEvents":4}', "text-delta"],
  ["inside a running tool", bash("touch hanging; tail -f /dev/null"), "tool-start"],
] as const;

describe("a loop of turns", () => {
  it("runs the prompt, then the continuation, in one session, and records each turn", SLOW, async () => {
    await using loop = await openLoop();
    const end = await loop.run({ continuation: bash("echo x >> made"), maxTurns: 3 });
    expect(reasons(end)).toEqual(["completed", "completed", "completed"]);
    expect(new Set(end.turns.map(({ result }) => result?.sessionId)).size).toBe(1);
    expect(end.turns.map(({ stateId }) => stateId)).toEqual(
      loop.conversation.history().map(({ after }) => after.stateId),
    );
    expect(end.turns.map(({ prompt, result }) => [prompt, result?.text])[0]).toEqual(["say hello", "hello"]);
    await using index = await TraceIndex.open(loop.workspace);
    const totals = await index.totals();
    expect(totals).toMatchObject({ costUsd: 0, offlineCostUsd: expect.closeTo(costOf(end), 6) as number });
    expect(end.turns.map(({ result }) => [result?.offline, result?.scenario])).toEqual(
      end.turns.map(() => [true, expect.any(String)]),
    );
  });

  it(
    "stops after its first turn where there is no continuation, and runs none where none is allowed",
    SLOW,
    async () => {
      await using loop = await openLoop();
      expect(reasons(await loop.run({ maxTurns: 3 }))).toEqual(["completed"]);
      const before = await present(loop);
      expect(await loop.run({ maxTurns: 0 })).toEqual({ turns: [], error: undefined });
      expect(await present(loop)).toEqual(before);
    },
  );

  it("has the CLI compact its session between turns, and records that beside them", SLOW, async () => {
    await using loop = await openLoop();
    const prompt = `say ${"many words ".repeat(1500)}`;
    const end = await loop.run({ prompt, continuation: "say more", maxTurns: 3, compactAfterTurns: 2 });
    expect(end.turns.map((turn) => [turn.prompt === "/compact", turn.stopReason])).toEqual([
      [false, "completed"],
      [false, "completed"],
      [true, "completed"],
      [false, "completed"],
    ]);
    const { compaction, stateId } = end.turns[2] as LoopTurn;
    expect(compaction?.tokensBefore).toBeGreaterThan((compaction?.tokensAfter ?? Infinity) * 2);
    expect(end.turns.filter((turn) => turn.compaction === undefined)).toHaveLength(3);
    expect(loop.conversation.history().map(({ after }) => after.stateId)).toContain(stateId);
    await using index = await TraceIndex.open(loop.workspace);
    const paid = { costUsd: 0, offlineCostUsd: expect.closeTo(costOf(end), 6) as number };
    expect(await index.totals()).toMatchObject(paid);
  });

  it("ends with a turn that fails, and can be gone on with", SLOW, async () => {
    await using loop = await openLoop();
    const failing = 'fail {"type":"http","status":400,"message":"no"}\nsay never';
    const { turns, error } = await loop.run({ prompt: failing, continuation: "say more" });
    expect(turns.map(judged)).toEqual([{ ...REFUSED, stopReason: "error" }]);
    expect(error).toMatchObject({ kind: "invalid_request" });
    expect(reasons(await loop.run({}))).toEqual(["completed"]);
  });

  it("gives answers in the shape that was asked for", SLOW, async () => {
    const properties = { done: { type: "boolean" } };
    await using loop = await openLoop({ outputSchema: { type: "object", properties, required: ["done"] } });
    const { turns } = await loop.run({ prompt: 'output {"done":true}' });
    expect(turns).toMatchObject([{ stopReason: "completed", result: { structuredOutput: { done: true } } }]);
  });
});

describe("a turn that is refused changes nothing, and can be repeated", () => {
  it.each([
    ["cancelled", {}],
    ["timeout", { deadline: 0 }],
  ])("%s before it begins", SLOW, async (reason, limits) => {
    await using loop = await openLoop();
    await loop.run({});
    const before = await present(loop);
    const cancel = new AbortController();
    if (reason === "cancelled") cancel.abort();
    const refused = await loop.run({ ...limits, prompt: bash("touch never"), signal: cancel.signal });
    expect(refused.turns).toEqual([{ ...REFUSED, prompt: bash("touch never"), stopReason: reason }]);
    expect(await present(loop)).toEqual(before);
    expect(reasons(await loop.run({ prompt: bash("touch now") }))).toEqual(["completed"]);
    expect(await readdir(loop.workspace.path)).toContain("now");
  });

  it("because the turns before have used up the budget", SLOW, async () => {
    await using loop = await openLoop();
    const { turns } = await loop.run({ prompt: "say one" });
    const [tokens, usd] = [usedBy({ turns }), costOf({ turns })];
    expect(refuseTurn({ maxCostUsd: usd }, turns, systemClock)).toBe("max_budget_reached");
    expect(refuseTurn({ maxCostUsd: usd + 0.000_001 }, turns, systemClock)).toBeUndefined();
    expect(refuseTurn({ maxTokens: tokens }, turns, systemClock)).toBe("max_budget_reached");
    expect(refuseTurn({ maxTokens: tokens + 1 }, turns, systemClock)).toBeUndefined();
    // The last response of a turn is let through, though it takes more than there is.
    const prompt = `say ${"word ".repeat(tokens)}`;
    const long = await loop.run({ prompt, continuation: "say never", maxTokens: tokens * 3 });
    expect(reasons(long)).toEqual(["completed", "max_budget_reached"]);
    // A turn that takes more money than there is ends with the response that did.
    const costly = { prompt: bash("touch once"), continuation: bash("touch never") };
    const dear = await loop.run({ ...costly, maxCostUsd: 0.000_001 });
    expect(reasons(dear)).toEqual(["max_budget_reached"]);
    expect(await readdir(loop.workspace.path)).not.toContain("never");
    expect(reasons(await loop.run({ prompt: bash("touch now") }))).toEqual(["completed"]);
  });
});

describe.each(MOMENTS)("a turn that is stopped %s", (_, prompt, moment) => {
  it("by a cancel says that the engine has acknowledged it, is recorded, and the session goes on", SLOW, async () => {
    await using loop = await openLoop();
    const at = ({ type }: LoopEvent): void => void (type === moment && loop.cancel.abort());
    const { turns } = await loop.run({ prompt, continuation: "say never", at });
    expect(turns.map(judged)).toEqual([{ ...STOPPED, stopReason: "cancelled" }]);
    expect(turns[0]?.stateId).toBe((await loop.workspace.states.head())?.stateId);
    const next = await loop.conversation.send("say next");
    expect(next.execution).toMatchObject({ outcome: "completed", response: "next" });
    expect(loop.conversation.sessionIds).toEqual([turns[0]?.result?.sessionId]);
  });

  it("by the time of the whole loop does so too", SLOW, async () => {
    const clock = createFakeClock();
    await using loop = await openLoop({}, clock);
    const minute = { deadline: clock.now() + 60_000 };
    // The first turn takes its share of the time: what is left is the second one's.
    let share = 0;
    const at = ({ type }: LoopEvent): void => {
      if (type === "turn-end") share += 30_000;
      if (type === "turn-end" || (type === moment && share > 0)) clock.advance(30_000);
    };
    const { turns, error } = await loop.run({ prompt: "say one", continuation: prompt, at, ...minute });
    expect(turns[0]?.stopReason).toBe("completed");
    expect(judged(turns[1])).toEqual({ ...STOPPED, stopReason: "timeout" });
    expect(error).toMatchObject({ kind: "timeout", reason: "deadline" });
  });
});

describe("a turn that is stopped by its tokens", () => {
  it("while it streams", SLOW, async () => {
    await using loop = await openLoop();
    const { turns } = await loop.run({ prompt: MOMENTS[0][1], continuation: "say never", maxTokens: 100 });
    expect(turns.map(judged)).toEqual([{ ...STOPPED, stopReason: "max_budget_reached" }]);
    expect(reasons(await loop.run({ prompt: "say next" }))).toEqual(["completed"]);
  });

  it("when it goes on to a tool", SLOW, async () => {
    await using loop = await openLoop();
    const tokens = usedBy(await loop.run({}));
    // Reading the prompt takes about 1.6 times as much as the first turn; writing the call makes it 2.2 times.
    const prompt = bash(`touch hanging; tail -f /dev/null # ${"word ".repeat(tokens / 2)}`);
    const seen: string[] = [];
    const at = ({ type }: LoopEvent): void => void seen.push(type);
    const { turns } = await loop.run({ prompt, continuation: "say never", at, maxTokens: tokens * 2 });
    expect(turns.map(judged)).toEqual([{ ...STOPPED, stopReason: "max_budget_reached" }]);
    expect(seen).toContain("tool-start");
    expect(reasons(await loop.run({ prompt: "say next" }))).toEqual(["completed"]);
  });
});

describe("what is said of a turn that was stopped", () => {
  it("is proven by the end of the process where the CLI does not answer any more", SLOW, async () => {
    await using loop = await openLoop({ graceMs: 200 });
    const at = ({ type }: LoopEvent): void => {
      if (type !== "tool-start") return;
      for (const { pid } of loop.processes.processes()) process.kill(pid as number, "SIGSTOP");
      loop.cancel.abort();
    };
    const { turns } = await loop.run({ prompt: bash("tail -f /dev/null"), at });
    expect(turns.map(judged)).toEqual([{ ...STOPPED, stopReason: "cancelled" }]);
    expect(loop.processes.processes()).toEqual([]);
  });

  it("is not that the session can be used again, where nothing is proven", async () => {
    await using loop = await openLoop();
    const result: TurnResult = UNANSWERED;
    const stream = async function* () {
      yield { type: "turn-start", timestamp: "", model: "m", cwd: "/", tools: [], permissionMode: "default" } as const;
      yield { type: "turn-end", timestamp: "", result } as const;
      return result;
    };
    const engine = createEngine(stream);
    await using conversation = await Conversation.start(loop.workspace, { engine });
    const processes = { processes: () => [{ pid: 1, startedAt: 0 }] };
    const { turns } = await runLoop(conversation, { prompt: "x", maxTurns: 1, processes }, () => {});
    expect(turns.map(judged)).toEqual([{ stopReason: "cancelled", isStopProven: false, isReusable: false }]);
  });
});

/** What an engine tells of a turn whose process it has lost. */
const UNANSWERED: TurnResult = {
  text: "",
  sessionId: "s",
  isError: true,
  error: { name: "SkeinError", kind: "cancelled", message: "", retryable: false },
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  usageByModel: {},
  costUsd: 0,
  durationMs: 0,
  responses: 0,
  model: "m",
  permissionDenials: [],
};
