import { readdir } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, write } from "../../../test/support/direct-script.ts";
import { changedPaths, startTracedAgent, type TracedAgent } from "../../../test/support/traced-agent.ts";
import type { SkeinEvent } from "../../core/index.ts";
import { ClaudeAgent } from "../agent/claude-agent.ts";
import { Conversation } from "./conversation.ts";
import { TransitionRecorder } from "../by-hand/transition-recorder.ts";
import { verifyWorkspace } from "../recovery/verify-workspace.ts";

let traced: TracedAgent;
beforeAll(async () => {
  traced = await startTracedAgent();
});
afterAll(() => traced.close());

test("a conversation without a record goes on, tells its turns, and leaves nothing in the store", async () => {
  const workspace = await traced.workspace();
  const { engine } = traced.agent;
  await using conversation = await Conversation.start(workspace, { engine, record: false, metadata: { by: "me" } });
  const events: SkeinEvent["type"][] = [];
  for await (const { type } of conversation.stream(write("a.txt", "one"))) events.push(type);
  const second = await conversation.send(bash("cat a.txt; cat nothing-here"));

  expect(events.at(-1)).toBe("turn-end");
  const [first] = conversation.history();
  expect(await changedPaths(first as typeof second)).toEqual(["created a.txt"]);
  expect(second).toMatchObject({ turn: 2, metadata: { by: "me" }, conversationId: conversation.id });
  expect([second.toolsUsed(), second.hasToolErrors()]).toEqual([["Bash"], true]);
  expect(second.execution.ledger).toEqual({ source: "result", isLowerBound: false, subagents: {}, mismatches: [] });
  expect((await second.newMessages()).map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  expect((await second.sessionAfter())?.messages.filter(({ kind }) => kind === "prompt")).toHaveLength(2);
  expect(conversation.sessionIds).toHaveLength(1);
  expect(conversation.totalCostUsd).toBeGreaterThan(second.execution.costUsd);
  expect([...(await workspace.states.conversations()), await workspace.states.head()]).toEqual([undefined]);
  expect(conversation.tip).toBeUndefined();
  for (const refused of [conversation.undo(), conversation.fork()]) {
    await expect(refused).rejects.toMatchObject({ kind: "usage", hint: expect.stringContaining("record") });
  }
  await expect(Conversation.import(workspace, "x", { engine, record: false })).rejects.toMatchObject({ kind: "usage" });

  // What turns out to be worth it is recorded afterwards, with what was said before it.
  await using recorder = await TransitionRecorder.open(workspace);
  const recorded = await recorder.record(second);
  expect(await recorded.toolExecutions()).toEqual(await second.toolExecutions());
  await using again = await Conversation.load(workspace, conversation.id, { engine });
  traced.agent.forget();
  await again.send("say three");
  const said = traced.said()[0]?.join("\n") ?? "";
  expect(said).toContain("a.txt");
  expect(said).toContain("nothing-here");
  expect(again.history().map(({ id }) => id)).toEqual([second.id, expect.any(String)]);
  expect((await verifyWorkspace(workspace)).problems).toEqual([]);

  // On top of what is recorded, too: the record stays where it is.
  const tip = again.tip?.id;
  await again.close();
  await using loose = await Conversation.load(workspace, again.id, { engine, record: false });
  traced.agent.forget();
  const beside = await loose.send(bash("rm a.txt"));
  expect(traced.said()[0]?.join("\n")).toContain("say three");
  expect(await changedPaths(beside)).toEqual(["deleted a.txt"]);
  expect(loose.history()).toHaveLength(3);
  expect(await workspace.states.tip(again.id)).toBe(tip);
});

test("an agent that does not record answers as one that does", async () => {
  const [path, home] = [await traced.folder(), await traced.folder()];
  const { engine } = traced.agent;
  await using agent = new ClaudeAgent(path, { engine, recordTransitions: false, workspace: { home } });
  const response = await agent.send(write("a.txt", "one"));
  expect(response).toMatchObject({ filesCreated: ["a.txt"], toolsUsed: ["Write"], hasErrors: false });
  expect((await agent.send(bash("cat a.txt"))).text).toBe("one");
  expect(agent.history()).toHaveLength(2);
  await expect(agent.saveConversation(`${home}/saved`)).rejects.toMatchObject({ kind: "state_not_found" });
  expect(await readdir(path)).toEqual(["a.txt"]);
});
