import { copyFileSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFakeEngine } from "../testing/index.ts";
import { Workspace } from "../workspace/index.ts";
import { Conversation } from "./conversation.ts";
import { findLostStates, nameLostStates } from "./lost-states.ts";
import { findInterruptedTurns, keepInterruptedTurns } from "./recover.ts";
import { verifyWorkspace } from "./verify-workspace.ts";

const engine = createFakeEngine(() => "fine");

let root: string;
let workspace: Workspace;

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skein-lost-")));
  workspace = await Workspace.open(join(root, "workspace"), { home: join(root, "home") });
});

afterEach(async () => {
  await workspace.close();
  rmSync(root, { recursive: true, force: true, maxRetries: 9 });
});

describe("a conversation's name that is gone from the disk", () => {
  it("is noticed by verify and given back, with or without a checkpoint that keeps its states", async () => {
    for (const isKept of [false, true]) {
      await using talk = await Conversation.start(workspace, { engine });
      await talk.send("first");
      const { after } = await talk.send(`second, ${isKept ? "kept" : "not kept"}`);
      if (isKept) await workspace.states.setCheckpoint("kept", after.stateId ?? "");
      expect((await verifyWorkspace(workspace)).problems).toEqual([]);
      rmSync(refPath(talk.id));
      expect((await verifyWorkspace(workspace)).problems.join()).toContain(talk.id);
      expect(await findLostStates(workspace)).toMatchObject([{ stateId: after.stateId, conversationId: talk.id }]);
      await nameLostStates(workspace);
      expect((await workspace.states.conversations()).get(talk.id)).toBe(after.stateId);
      expect((await verifyWorkspace(workspace)).problems).toEqual([]);
    }
  });

  it("is moved forward where it stands further back, and another is given where it has gone on", async () => {
    await using talk = await Conversation.start(workspace, { engine });
    const first = await talk.send("first");
    const second = await talk.send("second");
    writeFileSync(refPath(talk.id), `${first.after.stateId}\n`);
    await nameLostStates(workspace);
    expect(await workspace.states.tip(talk.id)).toBe(second.after.stateId);
    writeFileSync(refPath(talk.id), `${first.after.stateId}\n`);
    await using other = await Conversation.load(workspace, talk.id, { engine });
    const third = await other.send("third");
    const [named] = await nameLostStates(workspace);
    expect(await workspace.states.tip(talk.id)).toBe(third.after.stateId);
    expect(await workspace.states.tip(named?.conversationId ?? "")).toBe(second.after.stateId);
  });

  it("is not missed where the conversation was removed, or came to another workspace without it", async () => {
    await using talk = await Conversation.start(workspace, { engine });
    const { after } = await talk.send("first");
    await workspace.states.setCheckpoint("kept", after.stateId ?? "");
    await workspace.states.removeConversation(talk.id);
    expect(await findLostStates(workspace)).toEqual([]);
    expect((await verifyWorkspace(workspace)).problems).toEqual([]);
  });
});

it("keeps the state that a cut off turn was recorded as, where only its name is missing", async () => {
  await using talk = await Conversation.start(workspace, { engine });
  const first = await talk.send("first");
  const journals = join(workspace.home, "journals");
  let copy = "";
  let stateId = "";
  for await (const event of talk.stream("second")) {
    const [name = ""] = readdirSync(journals);
    if (event.type === "turn-end") copyFileSync(join(journals, name), (copy = join(root, name)));
    if (event.type === "state-recorded") ({ stateId } = event);
  }
  copyFileSync(copy, join(journals, copy.slice(root.length + 1).replace(/\.jsonl$/u, ".cut.jsonl")));
  writeFileSync(refPath(talk.id), `${first.after.stateId}\n`);
  expect(await findInterruptedTurns(workspace)).toMatchObject([{ prompt: "second", hadEnded: true }]);
  const [kept] = await keepInterruptedTurns(workspace);
  expect(kept?.state.id).toBe(stateId);
  expect(await workspace.states.tip(talk.id)).toBe(stateId);
  expect(await findInterruptedTurns(workspace)).toEqual([]);
});

function refPath(conversation: string): string {
  return join(workspace.gitDirectory, "refs/skein/conversations", conversation);
}
