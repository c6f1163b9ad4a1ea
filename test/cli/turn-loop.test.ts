import { readdir } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLoopGuard, type LoopLimits } from "../../src/cli/protocol/loop-guard.ts";
import type { LoopTurn } from "../../src/cli/protocol/loop-turn.ts";
import { runTurnLoop, type LoopEnd, type TurnLoop } from "../../src/cli/protocol/run-turn-loop.ts";
import type { CommandContext } from "../../src/cli/command-context.ts";
import { systemClock, type Clock, type SkeinEvent, type TurnResult } from "../../src/core/index.ts";
import { ClaudeEngine, createEngine, ProcessManager, type ClaudeOptions } from "../../src/engine/index.ts";
import { createFakeClock } from "../../src/testing/index.ts";
import { Conversation, TransitionRecorder } from "../../src/trace/index.ts";
import type { Workspace } from "../../src/workspace/index.ts";
import { bash } from "../support/direct-script.ts";
import { startTracedAgent, type TracedAgent } from "../support/traced-agent.ts";

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
  run(
    turns: Partial<Pick<TurnLoop, "prompt" | "continuation" | "maxTurns">> & { at?: (event: SkeinEvent) => void },
    limits?: Partial<LoopLimits>,
  ): Promise<LoopEnd>;
}

async function openLoop(options: ClaudeOptions = {}, clock: Clock = systemClock): Promise<TestLoop> {
  const workspace = await traced.workspace();
  const processes = new ProcessManager();
  const cancel = new AbortController();
  const engine = new ClaudeEngine(traced.agent.options, { processes, clock });
  const conversation = await Conversation.start(workspace, { engine, options });
  return {
    workspace,
    conversation,
    processes,
    cancel,
    async run({ prompt = "say hello", maxTurns = 3, at = () => {}, ...turns }, limits = {}) {
      const guard = createLoopGuard({ signal: cancel.signal, ...limits }, clock);
      const view = {
        begin: () => {},
        end: () => {},
        pause: () => () => {},
        show: async (event: SkeinEvent) => at(event),
      };
      const context = { emit: async () => {}, notice: () => {} } as unknown as CommandContext;
      return await runTurnLoop({ conversation, processes, guard, prompt, maxTurns, view, context, ...turns });
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
  return turns.map(({ stop_reason: reason }) => reason);
}

/** The tokens of the turns. */
function usedBy({ turns }: LoopEnd): number {
  return turns.flatMap(({ usage }) => Object.values(usage)).reduce((sum, count) => sum + count, 0);
}

function judged(turn: LoopTurn | undefined): Partial<LoopTurn> {
  const { stop_reason, cancel_observed, safe_to_reuse_session } = turn as LoopTurn;
  return { stop_reason, cancel_observed, safe_to_reuse_session };
}

const REFUSED = { cancel_observed: false, safe_to_reuse_session: true } as const;
const STOPPED = { cancel_observed: true, safe_to_reuse_session: true } as const;

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
    expect(new Set(end.turns.map(({ session_id: id }) => id)).size).toBe(1);
    expect(end.turns.map(({ state_id: id }) => id)).toEqual(
      loop.conversation.history().map(({ after }) => after.stateId),
    );
    expect(end.turns.map(({ prompt, output }) => [prompt, output])[0]).toEqual(["say hello", "hello"]);
    await using recorder = await TransitionRecorder.open(loop.workspace);
    const total = end.turns.reduce((sum, { cost_usd: cost }) => sum + cost, 0);
    expect((await recorder.totals()).costUsd).toBeCloseTo(total, 6);
  });

  it(
    "stops after its first turn where there is no continuation, and runs none where none is allowed",
    SLOW,
    async () => {
      await using loop = await openLoop();
      expect(reasons(await loop.run({ maxTurns: 3 }))).toEqual(["completed"]);
      const before = await present(loop);
      expect(await loop.run({ maxTurns: 0 })).toEqual({ turns: [] });
      expect(await present(loop)).toEqual(before);
    },
  );

  it("ends with a turn that fails, and can be gone on with", SLOW, async () => {
    await using loop = await openLoop();
    const failing = 'fail {"type":"http","status":400,"message":"no"}\nsay never';
    const { turns, error } = await loop.run({ prompt: failing, continuation: "say more" });
    expect(turns.map(judged)).toEqual([{ ...REFUSED, stop_reason: "error" }]);
    expect(error).toMatchObject({ kind: "invalid_request" });
    expect(reasons(await loop.run({}))).toEqual(["completed"]);
  });

  it("gives answers in the shape that was asked for", SLOW, async () => {
    const properties = { done: { type: "boolean" } };
    await using loop = await openLoop({ outputSchema: { type: "object", properties, required: ["done"] } });
    const { turns } = await loop.run({ prompt: 'output {"done":true}' });
    expect(turns).toMatchObject([{ stop_reason: "completed", structured_output: { done: true } }]);
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
    const refused = await loop.run({ prompt: bash("touch never") }, { ...limits, signal: cancel.signal });
    expect(refused).toMatchObject({ turns: [{ ...REFUSED, stop_reason: reason, state_id: null, output: "" }] });
    expect(await present(loop)).toEqual(before);
    expect(reasons(await loop.run({ prompt: bash("touch now") }))).toEqual(["completed"]);
    expect(await readdir(loop.workspace.path)).toContain("now");
  });

  it("because the turns before have used up the budget", SLOW, async () => {
    await using loop = await openLoop();
    const { turns } = await loop.run({ prompt: "say one" });
    const [tokens, usd] = [usedBy({ turns }), turns[0]?.cost_usd ?? 0];
    const { signal } = loop.cancel;
    expect(createLoopGuard({ maxCostUsd: usd, signal }).refuse(turns)).toBe("max_budget_reached");
    expect(createLoopGuard({ maxCostUsd: usd + 0.000_001, signal }).refuse(turns)).toBeUndefined();
    expect(createLoopGuard({ maxTokens: tokens, signal }).refuse(turns)).toBe("max_budget_reached");
    expect(createLoopGuard({ maxTokens: tokens + 1, signal }).refuse(turns)).toBeUndefined();
    // The last response of a turn is let through, though it takes more than there is.
    const long = await loop.run(
      { prompt: `say ${"word ".repeat(tokens)}`, continuation: "say never" },
      { maxTokens: tokens * 3 },
    );
    expect(reasons(long)).toEqual(["completed", "max_budget_reached"]);
    // A turn that takes more money than there is ends with the response that did.
    const dear = await loop.run(
      { prompt: bash("touch once"), continuation: bash("touch never") },
      { maxCostUsd: 0.000_001 },
    );
    expect(reasons(dear)).toEqual(["max_budget_reached"]);
    expect(await readdir(loop.workspace.path)).not.toContain("never");
    expect(reasons(await loop.run({ prompt: bash("touch now") }))).toEqual(["completed"]);
  });
});

describe.each(MOMENTS)("a turn that is stopped %s", (_, prompt, moment) => {
  it("by a cancel says that the engine has acknowledged it, is recorded, and the session goes on", SLOW, async () => {
    await using loop = await openLoop();
    const at = ({ type }: SkeinEvent): void => void (type === moment && loop.cancel.abort());
    const { turns } = await loop.run({ prompt, continuation: "say never", at });
    expect(turns.map(judged)).toEqual([{ ...STOPPED, stop_reason: "cancelled" }]);
    expect(turns[0]?.state_id).toBe((await loop.workspace.states.head())?.stateId);
    const next = await loop.conversation.send("say next");
    expect(next.execution).toMatchObject({ outcome: "completed", response: "next" });
    expect(loop.conversation.sessionIds).toEqual([turns[0]?.session_id]);
  });

  it("by the time of the whole loop does so too", SLOW, async () => {
    const clock = createFakeClock();
    await using loop = await openLoop({}, clock);
    const minute = { deadline: clock.now() + 60_000 };
    // The first turn takes its share of the time: what is left is the second one's.
    let share = 0;
    const at = ({ type }: SkeinEvent): void => {
      if (type === "turn-end") share += 30_000;
      if (type === "turn-end" || (type === moment && share > 0)) clock.advance(30_000);
    };
    const { turns, error } = await loop.run({ prompt: "say one", continuation: prompt, at }, minute);
    expect(turns[0]?.stop_reason).toBe("completed");
    expect(judged(turns[1])).toEqual({ ...STOPPED, stop_reason: "timeout" });
    expect(error).toMatchObject({ kind: "timeout", reason: "deadline" });
  });
});

describe("a turn that is stopped by its tokens", () => {
  it("while it streams", SLOW, async () => {
    await using loop = await openLoop();
    const { turns } = await loop.run({ prompt: MOMENTS[0][1], continuation: "say never" }, { maxTokens: 100 });
    expect(turns.map(judged)).toEqual([{ ...STOPPED, stop_reason: "max_budget_reached" }]);
    expect(reasons(await loop.run({ prompt: "say next" }))).toEqual(["completed"]);
  });

  it("when it goes on to a tool", SLOW, async () => {
    await using loop = await openLoop();
    const tokens = usedBy(await loop.run({}));
    // Reading the prompt takes about 1.6 times as much as the first turn; writing the call makes it 2.2 times.
    const prompt = bash(`touch hanging; tail -f /dev/null # ${"word ".repeat(tokens / 2)}`);
    const seen: string[] = [];
    const at = ({ type }: SkeinEvent): void => void seen.push(type);
    const { turns } = await loop.run({ prompt, continuation: "say never", at }, { maxTokens: tokens * 2 });
    expect(turns.map(judged)).toEqual([{ ...STOPPED, stop_reason: "max_budget_reached" }]);
    expect(seen).toContain("tool-start");
    expect(reasons(await loop.run({ prompt: "say next" }))).toEqual(["completed"]);
  });
});

describe("what is said of a turn that was stopped", () => {
  it("is proven by the end of the process where the CLI does not answer any more", SLOW, async () => {
    await using loop = await openLoop({ graceMs: 200 });
    const at = ({ type }: SkeinEvent): void => {
      if (type !== "tool-start") return;
      for (const { pid } of loop.processes.processes()) process.kill(pid as number, "SIGSTOP");
      loop.cancel.abort();
    };
    const { turns } = await loop.run({ prompt: bash("tail -f /dev/null"), at });
    expect(turns.map(judged)).toEqual([{ ...STOPPED, stop_reason: "cancelled" }]);
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
    const guard = createLoopGuard({ signal: loop.cancel.signal });
    const view = { begin: () => {}, end: () => {}, pause: () => () => {}, show: async () => {} };
    const context = { emit: async () => {}, notice: () => {} } as unknown as CommandContext;
    const processes = { processes: () => [{ pid: 1, startedAt: 0 }] };
    const { turns } = await runTurnLoop({ conversation, processes, guard, prompt: "x", maxTurns: 1, view, context });
    expect(turns.map(judged)).toEqual([
      { stop_reason: "cancelled", cancel_observed: false, safe_to_reuse_session: false },
    ]);
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
