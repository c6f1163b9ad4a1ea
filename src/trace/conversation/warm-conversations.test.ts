import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { bash, write } from "../../../test/support/direct-script.ts";
import { changedPaths, startTracedAgent, type TracedAgent } from "../../../test/support/traced-agent.ts";
import { ClaudeEngine, WarmPool, type ClaudeOptions } from "../../engine/index.ts";
import { ProcessManager } from "../../engine/internal.ts";
import type { Workspace } from "../../workspace/index.ts";
import { readStateFile } from "../record/state.ts";
import { readSession } from "../session/session-segments.ts";
import { Conversation } from "./conversation.ts";

let traced: TracedAgent;
let processes: ProcessManager;

beforeAll(async () => {
  traced = await startTracedAgent();
  processes = new ProcessManager();
});

afterAll(async () => {
  await processes[Symbol.asyncDispose]();
  await traced.close();
});

function warmEngine(size: number, options: ClaudeOptions = {}) {
  const pool = new WarmPool({ size, processes });
  return { pool, engine: new ClaudeEngine({ ...traced.agent.options, ...options }, { pool, processes }) };
}

test("a new conversation's first turn takes a spare, and each records what was said in it alone", async () => {
  const { pool, engine } = warmEngine(2);
  await using _ = pool;
  await engine.warm();
  const workspaces = await Promise.all([traced.workspace(), traced.workspace()]);
  const conversations = await Promise.all(
    workspaces.map((workspace) => Conversation.start(workspace, { engine, options: {} })),
  );
  const turns = await Promise.all(
    conversations.map((conversation, index) => conversation.send(`${write(`made-${index}`, "x")}\nsay done ${index}`)),
  );
  expect(pool.statistics()).toMatchObject({ hits: 2, misses: 0, refusals: 0 });
  expect(new Set(turns.map(({ execution }) => execution.sessionId)).size).toBe(2);
  for (const [index, turn] of turns.entries()) {
    expect(await changedPaths(turn)).toEqual([`created made-${index}`]);
    expect(turn.execution.response).toBe(`done ${index}`);
    const { states } = workspaces[index] as Workspace;
    const session = await readSession(states, await readStateFile(states, turn.after.stateId ?? ""));
    expect(session.main.length).toBeGreaterThan(3);
    const ids = session.main.flatMap(({ sessionId }) => (sessionId === undefined ? [] : [sessionId]));
    expect(new Set(ids)).toEqual(new Set([turn.execution.sessionId]));
    expect(JSON.stringify(session.main)).toContain(`say done ${index}`);
  }
  // Later turns stay in the process that the first one has taken.
  const second = await conversations[0]?.send("say again");
  expect(second?.execution).toMatchObject({ response: "again", sessionId: turns[0]?.execution.sessionId });
  expect(pool.statistics()).toMatchObject({ hits: 2, misses: 0 });
  for (const conversation of conversations) await conversation.close();
});

test("what a warm conversation recorded is gone on with by a process that starts cold, which is counted", async () => {
  const { pool, engine } = warmEngine(1);
  await using _ = pool;
  await engine.warm();
  const workspace = await traced.workspace();
  const first = await Conversation.start(workspace, { engine });
  const turn = await first.send("say the word is plum");
  await first.close();
  await using again = await Conversation.load(workspace, first.id, { engine });
  expect((await again.send("say more")).execution.sessionId).toBe(turn.execution.sessionId);
  const said = traced
    .said()
    .at(-1)
    ?.filter((text) => !text.startsWith("system: "));
  expect(said).toEqual(["user: say the word is plum", "assistant: the word is plum", "user: say more"]);
  expect(pool.statistics()).toMatchObject({ hits: 1, misses: 1, missesBy: { resumed: 1 } });
});

test("a limit on money does not keep a conversation from a spare, and holds", async () => {
  const { pool, engine } = warmEngine(1, { maxCostUsd: 0.03 });
  await using _ = pool;
  await engine.warm();
  await using conversation = await Conversation.start(await traced.workspace(), { engine });
  const { execution } = await conversation.send(`say ${"word ".repeat(8000)}\n${bash("echo second")}\nsay unreachable`);
  expect(execution.error).toMatchObject({ kind: "budget", target: "maxCostUsd" });
  expect(pool.statistics()).toMatchObject({ hits: 1 });
});

test("each conversation is asked by its own functions, although all of them take spares", async () => {
  const { pool, engine } = warmEngine(1, { allowedTools: [], permissionMode: "default" });
  await using _ = pool;
  const asked: string[] = [];
  const canUseTool =
    (name: string): NonNullable<ClaudeOptions["canUseTool"]> =>
    async () => {
      asked.push(name);
      return { behavior: "deny", message: `not for ${name}` };
    };
  await engine.warm({ canUseTool: canUseTool("nobody") });
  for (const name of ["one", "two", "three"]) {
    const options = { canUseTool: canUseTool(name) };
    await using conversation = await Conversation.start(await traced.workspace(), { engine, options });
    await conversation.send(bash("touch made"));
    await vi.waitFor(() => expect(pool.statistics().spares).toBe(1), 20_000);
  }
  expect(asked).toEqual(["one", "two", "three"]);
  expect(pool.statistics()).toMatchObject({ hits: 3, misses: 0 });
});
