import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { PermissionUpdate } from "@anthropic-ai/claude-agent-sdk";
import { describe, expect, it } from "vitest";
import type { ControlHandler, ControlRequest, QuestionAnswer } from "../../core/internal.ts";
import { askPeople, type GivenAnswer, type Question, type QuestionFace } from "./ask-people.ts";
import { createRemoteFace } from "./ask-remotely.ts";
import type { QuestionDraft, SessionRequest } from "./open-questions.ts";

/** A clock that is driven by hand. */
function createClock() {
  let nowMs = Date.parse("2026-11-15T06:00:00.000Z");
  const sleeping: { readonly atMs: number; readonly wake: () => void }[] = [];
  return {
    now: () => nowMs,
    sleep: async (ms: number, signal?: AbortSignal) =>
      await new Promise<void>((resolve, reject) => {
        signal?.addEventListener("abort", () => reject(new Error("over")));
        sleeping.push({ atMs: nowMs + ms, wake: resolve });
      }),
    pass(ms: number): void {
      nowMs += ms;
      for (const { atMs, wake } of sleeping) if (atMs <= nowMs) wake();
    },
  };
}

/** The line of a process, as a server uses it. */
function createLine() {
  const handlers = new Map<string, ControlHandler>();
  let last = 0;
  return {
    isConnected: true,
    handlers,
    control(target: string, handler: ControlHandler): Disposable {
      handlers.set(target, handler);
      return { [Symbol.dispose]: () => handlers.delete(target) };
    },
    async answer(target: string, answer: QuestionAnswer, by = "alice"): Promise<void> {
      const request: ControlRequest = { type: "answer", id: (last += 1), target, by, answer };
      await handlers.get(target)?.(request);
    },
  };
}

/** Waits until what was asked stands at its face. */
const asked = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function createSession(given: Partial<SessionRequest> = {}) {
  const told: QuestionDraft[] = [];
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const session = {
    isSandboxed: true,
    permissionMode: "default" as const,
    tell: (event: QuestionDraft) => void told.push(event),
  };
  const request = (): SessionRequest => ({
    signal: stop.signal,
    toolUseID: randomUUID(),
    requestId: "1",
    session,
    ...given,
  });
  const idOf = (place = 0): string => told.filter(({ type }) => type === "question-asked")[place]?.questionId ?? "";
  return { told, request, stop, idOf };
}

const rule: PermissionUpdate = {
  type: "addRules",
  rules: [{ toolName: "Bash", ruleContent: "npm test" }],
  behavior: "allow",
  destination: "localSettings",
};
const QUESTIONS = { questions: [{ question: "Which?" }, { question: "Why?" }] };

describe("a person who is asked", () => {
  it("is shown the call, and what they say is told with who said it", async () => {
    const clock = createClock();
    const line = createLine();
    const { told, request, idOf } = createSession({ suggestions: [rule], decisionReason: "no rule" });
    const ask = askPeople(createRemoteFace(line), { timeoutMs: 60_000, clock });
    const result = ask("Bash", { command: "npm test" }, request());
    await asked();
    clock.pass(1500);
    await line.answer(idOf(), { decision: "allow", rules: [0] });
    expect(await result).toEqual({
      behavior: "allow",
      updatedInput: { command: "npm test" },
      updatedPermissions: [{ ...rule, destination: "session" }],
    });
    const common = { questionId: idOf(), tool: "Bash", toolUseId: told[0]?.toolUseId };
    expect(told).toEqual([
      {
        type: "question-asked",
        ...common,
        kind: "permission",
        askedOn: "remote",
        input: { command: "npm test" },
        isSandboxed: true,
        warnings: [],
        reason: "no rule",
        rules: ["Bash(npm test)"],
        deadline: "2026-11-15T06:01:00.000Z",
      },
      {
        type: "question-answered",
        ...common,
        decision: "allow",
        by: "alice",
        rules: ["Bash(npm test)"],
        waitedMs: 1500,
      },
    ]);
  });

  it("is one of many: several questions wait at once, the first answer to each counts, and others learn whose it was", async () => {
    const line = createLine();
    const { request, idOf } = createSession();
    const ask = askPeople(createRemoteFace(line));
    const results = ["a", "b"].map((file_path) => ask("Write", { file_path }, request()));
    await asked();
    await line.answer(idOf(1), { decision: "deny", message: "Not b" }, "bob");
    const late = line.answer(idOf(1), { decision: "allow" });
    await expect(late).rejects.toMatchObject({
      kind: "conflict",
      message: expect.stringMatching(/answered by bob/),
      target: idOf(1),
    });
    await line.answer(idOf(0), { decision: "allow" });
    expect(await Promise.all(results)).toEqual([
      { behavior: "allow", updatedInput: { file_path: "a" } },
      { behavior: "deny", message: "Not b" },
    ]);
  });

  it("is waited for up to the deadline, and a turn that ends waits for nobody", async () => {
    const clock = createClock();
    const line = createLine();
    const { told, request, stop, idOf } = createSession();
    const ask = askPeople(createRemoteFace(line), { timeoutMs: 60_000, clock });
    const late = ask("Write", {}, request());
    await asked();
    clock.pass(60_000);
    expect(await late).toEqual({ behavior: "deny", message: "Denied, because nobody answered within 60 seconds." });
    const cancelled = ask("Write", {}, request());
    await asked();
    stop.abort();
    expect(await cancelled).toEqual({ behavior: "deny", message: "Denied, because the turn was cancelled." });
    expect(told.flatMap((event) => ("by" in event ? [event.by] : []))).toEqual(["deadline", "cancelled"]);
    for (const place of [0, 1]) {
      await expect(line.answer(idOf(place), { decision: "allow" })).rejects.toMatchObject({ kind: "conflict" });
    }
  });

  it("can only say what answers the question", async () => {
    const line = createLine();
    const { request, idOf } = createSession();
    const ask = askPeople(createRemoteFace(line));
    const told = ask("AskUserQuestion", QUESTIONS, request());
    await asked();
    for (const [answer, target] of [
      [{ decision: "allow" }, "answers"],
      [{ decision: "allow", answers: { "Which?": "A" } }, "answers"],
      [{ decision: "allow", answers: { "Which?": "A", "Why?": "B", "Who?": "C" } }, "answers"],
      [{ decision: "allow", rules: [0] }, "rules"],
    ] as const) {
      await expect(line.answer(idOf(), answer as QuestionAnswer)).rejects.toMatchObject({ kind: "usage", target });
    }
    const answers = { "Which?": "A", "Why?": "B" };
    await line.answer(idOf(), { decision: "allow", answers });
    expect(await told).toEqual({ behavior: "allow", updatedInput: { ...QUESTIONS, answers } });
  });

  it("is offered nothing for good by a risky call, and from afar no mode that is looser than the run's own", async () => {
    const line = createLine();
    const suggestions: PermissionUpdate[] = (["bypassPermissions", "acceptEdits", "plan"] as const).map((mode) => ({
      type: "setMode",
      mode,
      destination: "session",
    }));
    const { told, request, idOf } = createSession({ suggestions });
    const judge = async (tool: string) => ({ action: "act", warnings: ["Beware"], isRisky: tool === "Bash" });
    const ask = askPeople(createRemoteFace(line), { describe: judge });
    for (const [place, tool] of ["Write", "Bash"].entries()) {
      const result = ask(tool, {}, request());
      await asked();
      await line.answer(idOf(place), { decision: "deny", interrupt: true });
      expect(await result).toMatchObject({ behavior: "deny", interrupt: true });
    }
    const questions = told.flatMap((event) => (event.type === "question-asked" ? [event] : []));
    expect(questions.map(({ rules }) => rules)).toEqual([["the mode plan"], []]);
    expect(questions[0]).toMatchObject({ action: "act", warnings: ["Beware"], isSandboxed: false });
  });

  it("is not asked about a call that cannot be shown whole, nor about ever more at once", async () => {
    const { told, request } = createSession();
    const shown: Question[] = [];
    const face: QuestionFace = {
      name: "remote",
      ask: (question) => new Promise<GivenAnswer>(() => void shown.push(question)),
    };
    const ask = askPeople(face);
    const huge = await ask("Write", { content: "x".repeat(200_000) }, request());
    expect(huge).toMatchObject({
      behavior: "deny",
      message: expect.stringMatching(/too many to be shown .* smaller parts/),
    });
    for (let count = 0; count < 64; count += 1) void ask("Write", {}, request());
    await asked();
    expect(await ask("Write", {}, request())).toMatchObject({
      behavior: "deny",
      message: expect.stringMatching(/64 calls wait/),
    });
    expect([shown.length, told.length]).toEqual([64, 64]);
  });

  it("says once that nobody can answer where no server is there", async () => {
    const said: string[] = [];
    const line = { ...createLine(), isConnected: false };
    const { request } = createSession();
    const ask = askPeople(createRemoteFace(line, () => void said.push("no server")));
    void ask("Write", {}, request());
    void ask("Write", {}, request());
    await asked();
    expect([said, line.handlers.size]).toEqual([["no server"], 2]);
  });
});
