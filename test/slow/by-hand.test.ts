import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Conversation, TransitionRecorder, verifyWorkspace, type Transition } from "../../src/trace/index.ts";
import type { Workspace } from "../../src/workspace/index.ts";
import { byHand, type ByHand } from "../support/by-hand.ts";
import { bash, write } from "../support/direct-script.ts";
import { startTracedAgent, type TracedAgent } from "../support/traced-agent.ts";

let traced: TracedAgent;
let workspace: Workspace;
let hand: ByHand;

beforeAll(async () => {
  traced = await startTracedAgent();
  hand = byHand(traced);
});
beforeEach(async () => {
  traced.agent.forget();
  workspace = await traced.workspace();
});
afterAll(() => traced.close());

test("the session is captured as it was: what is said later, or deleted, does not change it", async () => {
  const { execution } = await hand.execute(workspace, "say first");
  const { sessionId } = execution;
  const then = await workspace.snapshot({ sessionId, claudeHome: hand.claudeHome });
  const second = await hand.make(workspace, "say second", { before: then }, { resume: sessionId });
  expect(second.execution.sessionId).toBe(sessionId);
  expect(texts(await second.newMessages())).toEqual(["say second", "second"]);
  // Without a session before, the times tell what was said earlier; in a fork, that is a copy.
  const third = await hand.make(workspace, "say third", {}, { resume: sessionId, forkSession: true });
  expect(third.execution.sessionId).not.toBe(sessionId);
  expect(texts(await third.newMessages())).toEqual(["say third", "third"]);
  const fork = await hand.make(workspace, "say fourth", { before: then }, { resume: sessionId, forkSession: true });
  expect(texts(await fork.newMessages())).toContain("fourth");
  expect(texts(await fork.newMessages())).not.toContain("first");
  await rm(join(hand.claudeHome, "projects"), { recursive: true });
  expect((await second.sessionAfter())?.messages.map(({ text }) => text)).toEqual([
    "say first",
    "first",
    "say second",
    "second",
  ]);
});

function texts(messages: Awaited<ReturnType<Transition["newMessages"]>>): readonly unknown[] {
  return messages.flatMap(({ content }) => content).map(({ text }) => text);
}

test("turns by hand that go on with each other become one conversation, and what the first one resumed is kept", async () => {
  const { execution } = await hand.execute(workspace, "say before the record");
  const { sessionId } = execution;
  const before = await workspace.snapshot({ sessionId, claudeHome: hand.claudeHome });
  const first = await hand.make(workspace, write("a.txt", "one"), { before }, { resume: sessionId });
  const { conversationId } = first;
  const held = await workspace.snapshot({ sessionId, claudeHome: hand.claudeHome });
  const second = await hand.make(
    workspace,
    bash("echo two >> a.txt"),
    { before: held, conversationId },
    { resume: sessionId },
  );
  await writeFile(join(workspace.path, "later.txt"), "mine");
  await using recorder = await TransitionRecorder.open(workspace);
  const recorded = [await recorder.record(first), await recorder.record(second)];

  expect(recorded.map(({ turn }) => turn)).toEqual([2, 3]);
  expect(recorded[1]?.before.stateId).toBe(recorded[0]?.after.stateId);
  // The files were changed since: the directory does not stand where they led.
  expect(await workspace.states.head()).toBeUndefined();
  await rm(join(workspace.path, "later.txt"));
  await workspace.restore(conversationId);
  expect(await readFile(join(workspace.path, "a.txt"), "utf8")).toBe("onetwo\n");
  await using conversation = await Conversation.load(workspace, conversationId, traced.agent);
  traced.agent.forget();
  await conversation.send("say four");
  const [said = []] = traced.said();
  expect(said.filter((message) => /^(?:user|assistant): (?:say )?before the record/u.test(message))).toHaveLength(2);
  expect(said.at(-1)).toContain("say four");
  expect((await verifyWorkspace(workspace)).problems).toEqual([]);

  const elsewhere = await traced.workspace();
  await using other = await TransitionRecorder.open(elsewhere);
  await expect(other.record(await hand.make(workspace, "say five"))).rejects.toMatchObject({ kind: "state_not_found" });
});
