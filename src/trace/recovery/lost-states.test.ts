import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createForge, STATE_FILE, TRANSITION_FILE } from "../../../test/support/forge-bundle.ts";
import { createFakeEngine } from "../../testing/index.ts";
import { loadConversations, pullStates, pushStates, Workspace } from "../../workspace/index.ts";
import { createAttempts, pruneStore } from "../../workspace/internal.ts";
import { Conversation } from "../conversation/conversation.ts";
import { findLostStates, nameLostStates } from "./lost-states.ts";
import { findInterruptedTurns, keepInterruptedTurns } from "./interrupted-turns.ts";
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

  it("is not missed where the conversation was removed, and stays so when what only it led to was collected", async () => {
    await using talk = await Conversation.start(workspace, { engine });
    const { after } = await talk.send("first");
    await talk.send("second");
    await workspace.states.setCheckpoint("kept", after.stateId ?? "");
    await workspace.states.removeConversation(talk.id);
    expect(await findLostStates(workspace)).toEqual([]);
    expect((await verifyWorkspace(workspace)).problems).toEqual([]);
    await workspace.restore("kept");
    execFileSync("git", ["repack", "-a", "-d", "-q"], { cwd: workspace.gitDirectory });
    execFileSync("git", ["prune", "--expire=now"], { cwd: workspace.gitDirectory });
    await pruneStore(workspace, { refs: [], isTight: false, attempts: createAttempts(workspace.home) });
    expect((await workspace.states.removed()).size).toBe(2);
    expect((await verifyWorkspace(workspace)).problems).toEqual([]);
  });

  it("is not missed where only a checkpoint came to another workspace, or a pull was refused", async () => {
    await using talk = await Conversation.start(workspace, { engine });
    const { after } = await talk.send("first");
    await workspace.states.setCheckpoint("kept", after.stateId ?? "");
    const remote = join(root, "remote.git");
    execFileSync("git", ["init", "--quiet", "--bare", remote]);
    await pushStates(workspace, remote);
    await using other = await Workspace.open(join(root, "other"), { home: join(root, "home") });
    await pullStates(other, remote);
    for (const [place, words] of [
      [workspace, "here"],
      [other, "there"],
    ] as const) {
      await place.restore(talk.id);
      await using turn = await Conversation.load(place, talk.id, { engine });
      await turn.send(words);
    }
    await pushStates(workspace, remote);
    expect(await pullStates(other, remote)).toMatchObject([{ status: "rejected", reason: "non-fast-forward" }]);
    expect((await verifyWorkspace(other)).problems).toEqual([]);
    execFileSync("git", ["update-ref", "-d", `refs/skein/conversations/${talk.id}`], { cwd: remote });
    await using third = await Workspace.open(join(root, "third"), { home: join(root, "home") });
    await pullStates(third, remote);
    expect(await third.states.checkpoints()).toEqual(new Map([["kept", after.stateId]]));
    expect((await verifyWorkspace(third)).problems).toEqual([]);
  });

  it("is told by the states that were removed, whatever name they say that they have", async () => {
    const forge = createForge();
    const turn = { kind: "turn", turns: 1, conversationId: "claimed" };
    const parts = {
      "state.json": JSON.stringify({ ...STATE_FILE, ...turn }),
      "transition.json": JSON.stringify(TRANSITION_FILE),
    };
    const file = join(root, "forged.bundle");
    writeFileSync(file, forge.bundle({ "refs/skein/conversations/forged": forge.state({ parts }) }));
    await loadConversations(workspace, file);
    await workspace.states.removeConversation("forged");
    expect((await verifyWorkspace(workspace)).problems).toEqual([]);
    // One that is there again is missed again.
    await loadConversations(workspace, file);
    expect(await workspace.states.removed()).toEqual(new Set());
    rmSync(refPath("forged"));
    expect((await verifyWorkspace(workspace)).problems).toEqual([expect.stringContaining("claimed has lost its name")]);
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
