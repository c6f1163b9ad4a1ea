import { describe, expect, it } from "vitest";
import { createFakeClock } from "../../testing/index.ts";
import type { PermissionDecision, PermissionPolicy } from "./permission-policy.ts";
import { toCanUseTool, type PermissionAnswer } from "./to-can-use-tool.ts";

const ask = (toolUseID: string, signal = new AbortController().signal) => ({ toolUseID, signal, requestId: toolUseID });

/** A policy whose answers are given from outside, by tool-use id. */
function createDesk(): { readonly policy: PermissionPolicy; answer(id: string, decision: PermissionDecision): void } {
  const waiting = new Map<string, (decision: PermissionDecision) => void>();
  return {
    policy: ({ toolUseId }) => new Promise((resolve) => waiting.set(toolUseId, resolve)),
    answer: (id, decision) => waiting.get(id)?.(decision),
  };
}

describe("a policy as canUseTool", () => {
  it("answers concurrent calls in any order, each with its own rewritten input", async () => {
    const desk = createDesk();
    const canUseTool = toCanUseTool(desk.policy);
    const first = canUseTool("Write", { content: "1" }, ask("a"));
    const second = canUseTool("Write", { content: "2" }, ask("b"));
    expect(canUseTool.pending().map(({ request }) => request.toolUseId)).toEqual(["a", "b"]);

    desk.answer("b", { type: "allow", input: { content: "two" } });
    expect(await second).toEqual({ behavior: "allow", updatedInput: { content: "two" } });
    expect(canUseTool.pending().map(({ request }) => request.toolUseId)).toEqual(["a"]);

    desk.answer("a", { type: "allow", input: { content: "one" } });
    expect(await first).toEqual({ behavior: "allow", updatedInput: { content: "one" } });
    expect(canUseTool.pending()).toEqual([]);
  });

  it("keeps two requests with the same id apart", async () => {
    let count = 0;
    const canUseTool = toCanUseTool(() => ({ type: "deny", message: `${++count}` }));
    const both = [canUseTool("Bash", {}, ask("a")), canUseTool("Bash", {}, ask("a"))];
    expect(canUseTool.pending()).toHaveLength(2);
    expect(await Promise.all(both)).toEqual([
      { behavior: "deny", message: "1" },
      { behavior: "deny", message: "2" },
    ]);
  });

  it("passes on the input as it was, changed rules, and an interrupt", async () => {
    const updates = [{ type: "setMode", mode: "acceptEdits", destination: "session" }] as const;
    const allow = toCanUseTool(() => ({ type: "allow", updates }));
    expect(await allow("Read", { file_path: "a" }, ask("1"))).toEqual({
      behavior: "allow",
      updatedInput: { file_path: "a" },
      updatedPermissions: updates,
    });
    const deny = toCanUseTool(() => ({ type: "deny", message: "Stop.", interrupt: true }));
    expect(await deny("Read", {}, ask("1"))).toEqual({ behavior: "deny", message: "Stop.", interrupt: true });
  });

  it("hands the policy all that the CLI says about a call", async () => {
    let seen: unknown;
    const canUseTool = toCanUseTool((request) => {
      seen = { ...request, signal: request.signal.aborted };
      return { type: "pass" };
    });
    const mcpServer = { name: "s", source: "sdk" };
    const context = {
      ...ask("1"),
      agentID: "sub",
      decisionReason: "why",
      blockedPath: "/x",
      mcpServer,
      suggestions: [],
    };
    await canUseTool("Bash", { command: "ls" }, context);
    expect(seen).toEqual({
      tool: "Bash",
      input: { command: "ls" },
      toolUseId: "1",
      signal: false,
      agentId: "sub",
      reason: "why",
      blockedPath: "/x",
      mcpServer,
      suggestions: [],
    });
  });

  it("denies when the time is up, says so, and tells the policy that its answer no longer counts", async () => {
    const clock = createFakeClock();
    let signal: AbortSignal | undefined;
    const canUseTool = toCanUseTool(
      (request) => {
        ({ signal } = request);
        return new Promise(() => {});
      },
      { clock, timeoutMs: 5000 },
    );
    const answer = canUseTool("Bash", {}, ask("1"));
    expect(signal?.aborted).toBe(false);
    clock.advance(5000);
    expect(await answer).toEqual({ behavior: "deny", message: "Denied, because nobody answered within 5000 ms." });
    expect(signal?.aborted).toBe(true);
    expect(canUseTool.pending()).toEqual([]);
  });

  it("waits without end where the limit is Infinity", async () => {
    const desk = createDesk();
    const answer = toCanUseTool(desk.policy, { timeoutMs: Infinity })("Bash", {}, ask("1"));
    desk.answer("1", { type: "allow" });
    expect(await answer).toEqual({ behavior: "allow", updatedInput: {} });
  });

  it.each([0, -1, Number.NaN])("refuses a time limit of %s", (timeoutMs) => {
    expect(() => toCanUseTool(() => ({ type: "allow" }), { timeoutMs })).toThrow("timeoutMs must be more than 0");
  });

  it.each([true, false])("denies when the turn is cancelled, before the question (%s) or after", async (before) => {
    const controller = new AbortController();
    if (before) controller.abort();
    const canUseTool = toCanUseTool(() => new Promise(() => {}));
    const answer = canUseTool("Bash", {}, ask("1", controller.signal));
    controller.abort();
    expect(await answer).toEqual({ behavior: "deny", message: "Denied, because the turn was cancelled." });
    expect(canUseTool.pending()).toEqual([]);
  });

  it.each([
    [
      "throws",
      (): never => {
        throw new Error("no disk");
      },
    ],
    ["rejects", () => Promise.reject(new Error("no disk"))],
  ])("denies with the reason when the policy %s, whatever the fallback", async (_, policy) => {
    expect(await toCanUseTool(policy, { fallback: "allow" })("Bash", {}, ask("1"))).toEqual({
      behavior: "deny",
      message: "Bash was denied, because its permission policy failed: no disk",
    });
  });

  it("denies what the policy has no opinion about, unless told to allow it", async () => {
    const policy = (): PermissionDecision => ({ type: "pass" });
    expect(await toCanUseTool(policy)("Bash", {}, ask("1"))).toEqual({
      behavior: "deny",
      message: "Bash was denied: no permission policy allows this call.",
    });
    expect(await toCanUseTool(policy, { fallback: "allow" })("Bash", { a: 1 }, ask("1"))).toEqual({
      behavior: "allow",
      updatedInput: { a: 1 },
    });
  });

  it("tells who listens what was answered, by what and how fast, and does not mind what the listener throws", async () => {
    const clock = createFakeClock();
    const answers: PermissionAnswer[] = [];
    const canUseTool = toCanUseTool(
      () => {
        clock.advance(7);
        return { type: "pass" };
      },
      {
        clock,
        fallback: "allow",
        onDecision: (_, answer) => {
          answers.push(answer);
          throw new Error("not my turn");
        },
      },
    );
    await canUseTool("Bash", {}, ask("1"));
    expect(answers).toEqual([{ decision: { type: "allow" }, by: "fallback", durationMs: 7 }]);
  });
});
