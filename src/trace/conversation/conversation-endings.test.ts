import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { bash, write } from "../../../test/support/direct-script.ts";
import { changedPaths, startTracedAgent, type TracedAgent } from "../../../test/support/traced-agent.ts";
import { ClaudeEngine } from "../../engine/index.ts";
import type { Workspace } from "../../workspace/index.ts";
import { Conversation } from "./conversation.ts";
import { verifyWorkspace } from "../recovery/verify-workspace.ts";

let traced: TracedAgent;
let workspace: Workspace;
let parts: { readonly engine: TracedAgent["agent"]["engine"] };

beforeAll(async () => {
  traced = await startTracedAgent();
  parts = { engine: traced.agent.engine };
});

beforeEach(async () => {
  traced.agent.forget();
  workspace = await traced.workspace();
});

afterAll(() => traced.close());

/** What a turn must not leave behind. */
async function leftovers(): Promise<readonly string[]> {
  const found = await readdir(workspace.home, { recursive: true });
  return found.filter((path) => /journals\/|\.lock|refs\/skein\/turns\/./u.test(path));
}

const hang = bash("touch hanging; tail -f /dev/null");

describe("a turn that does not complete", () => {
  it("is recorded as failed when the API refuses it, with the files as it left them, and the next goes on", async () => {
    await using conversation = await Conversation.start(workspace, parts);
    const fail = 'fail {"type":"http","status":400,"message":"no"}';
    const failed = await conversation.send([bash("echo half > half.txt"), fail, "say never"].join("\n"));
    expect(failed.execution).toMatchObject({ outcome: "failed", isError: true, error: { kind: "invalid_request" } });
    expect(failed.execution.ledger).toEqual({ source: "result", isLowerBound: false, subagents: {}, mismatches: [] });
    expect(await changedPaths(failed)).toEqual(["created half.txt"]);
    const next = await conversation.send(bash("cat half.txt"));
    expect(next.execution).toMatchObject({ outcome: "completed", response: "half" });
    expect(next.before.stateId).toBe(failed.after.stateId);
    expect(conversation.sessionIds).toHaveLength(1);
    expect(await leftovers()).toEqual([]);
  });

  it("is recorded as failed when it takes too many responses", async () => {
    await using conversation = await Conversation.start(workspace, { ...parts, options: { maxResponses: 1 } });
    const failed = await conversation.send(
      [bash("echo one > one.txt"), bash("echo two > two.txt"), "say end"].join("\n"),
    );
    expect(failed.execution).toMatchObject({ outcome: "failed", isError: true, error: { kind: "budget" } });
    expect(await changedPaths(failed)).toEqual(["created one.txt"]);
    const next = await conversation.send("say on");
    expect(next.execution).toMatchObject({ outcome: "completed", response: "on" });
  });

  it("is recorded as cancelled when it is aborted while a tool runs, and can be gone on with or undone", async () => {
    await using conversation = await Conversation.start(workspace, parts);
    await conversation.send(write("a.txt", "one"));
    const controller = new AbortController();
    const running = conversation.send(`${bash("echo two > a.txt")}\n${hang}`, { signal: controller.signal });
    await vi.waitFor(() => expect(existsSync(join(workspace.path, "hanging"))).toBe(true), 20_000);
    controller.abort();
    const cancelled = await running;
    expect(cancelled.execution).toMatchObject({ outcome: "cancelled", isError: true, error: { kind: "cancelled" } });
    expect(await changedPaths(cancelled)).toEqual(["created hanging", "modified a.txt"]);

    const next = await conversation.send(bash("cat a.txt"));
    expect(next.execution).toMatchObject({ outcome: "completed", response: "two" });
    await using before = await conversation.undo();
    await using again = await before.undo();
    expect(await readdir(workspace.path)).toEqual(["a.txt"]);
    expect(await readFile(join(workspace.path, "a.txt"), "utf8")).toBe("one");
    traced.agent.forget();
    await again.send("say after");
    expect(JSON.stringify(traced.agent.requests)).not.toContain("hanging");
    expect(await leftovers()).toEqual([]);
  });

  it("is recorded as cancelled when its reader leaves, and the next turn goes on", async () => {
    await using conversation = await Conversation.start(workspace, parts);
    for await (const event of conversation.stream(`${write("a.txt", "one")}\n${hang}`)) {
      if (event.type === "tool-start" && event.tool === "Bash") break;
    }
    const [left] = conversation.history();
    expect(left?.execution).toMatchObject({ outcome: "cancelled", error: { kind: "cancelled" } });
    expect(left?.toolsUsed()).toEqual(["Write", "Bash"]);
    expect(await workspace.states.head()).toEqual({ stateId: left?.after.stateId, conversationId: conversation.id });
    const next = await conversation.send(bash("cat a.txt"));
    expect(next.execution).toMatchObject({ outcome: "completed", response: "one" });
    expect(conversation.history()).toHaveLength(2);
    expect(await leftovers()).toEqual([]);
    expect(await verifyWorkspace(workspace)).toEqual({ states: 3, problems: [] });
  });

  it("records nothing when it could not begin, and leaves no journal and no lock", async () => {
    const nowhere = new ClaudeEngine({ ...traced.agent.options, cliPath: "/nowhere/claude" });
    await using lost = await Conversation.start(workspace, { engine: nowhere });
    await expect(lost.send("say hello")).rejects.toMatchObject({ kind: "cli_not_found" });
    await using wrong = await Conversation.start(workspace, { ...parts, options: { maxResponses: -1 } });
    await expect(wrong.send("say hello")).rejects.toMatchObject({ kind: "config" });
    await using empty = await Conversation.start(workspace, parts);
    await expect(empty.send("  ")).rejects.toMatchObject({ kind: "usage" });
    const aborted = empty.send("say hello", { signal: AbortSignal.abort() });
    await expect(aborted).rejects.toMatchObject({ kind: "cancelled" });

    expect([lost, wrong, empty].flatMap((conversation) => conversation.history())).toEqual([]);
    expect(await workspace.states.tips()).toEqual(new Map());
    expect(await leftovers()).toEqual([]);
    const turn = await empty.send(write("a.txt", "one"));
    expect(turn.execution.outcome).toBe("completed");
  });

  it("refuses a second turn, an undo and a restore while it runs", async () => {
    await using conversation = await Conversation.start(workspace, parts);
    const first = await conversation.send("say hello");
    const controller = new AbortController();
    const running = conversation.send(hang, { signal: controller.signal });
    await vi.waitFor(() => expect(existsSync(join(workspace.path, "hanging"))).toBe(true), 20_000);
    const busy = { kind: "workspace_busy" };
    await using other = await Conversation.start(workspace, parts);
    await expect(conversation.send("say too")).rejects.toMatchObject(busy);
    await expect(conversation.undo()).rejects.toMatchObject(busy);
    await expect(other.send("say too")).rejects.toMatchObject(busy);
    await expect(workspace.restore(first.after.stateId ?? "")).rejects.toMatchObject(busy);
    controller.abort();
    expect((await running).execution.outcome).toBe("cancelled");
  });
});
