import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, type TestContext } from "vitest";
import { createFakeEngine } from "../src/testing/index.ts";
import { Conversation, TraceIndex, verifyWorkspace } from "../src/trace/index.ts";
import { findInterruptedTurns, recordPresent } from "../src/trace/internal.ts";
import { Workspace } from "../src/workspace/index.ts";
import { fillDisk, mountSmallDisk, type SmallDisk } from "./support/small-disk.ts";

const FULL = { kind: "resource_exhausted", resource: "disk" };

let root: string;
let home: string;
let disk: SmallDisk | undefined;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skein-full-")));
  home = join(root, "small");
  mkdirSync(home);
  disk = mountSmallDisk(home, "4m");
});

afterEach(() => {
  disk?.unmount();
  rmSync(root, { recursive: true, force: true, maxRetries: 9 });
});

function needsMount(context: TestContext): void {
  if (!disk) context.skip("a small disk can only be made by root, where mounts are allowed");
}

const fill = (): void => fillDisk(home);
const free = (): void => rmSync(join(home, "filler"));

/** An engine that writes its prompt into the file `a`, and fills the disk where it is told so. */
function engineIn(workspace: Workspace): ReturnType<typeof createFakeEngine> {
  return createFakeEngine(({ text }) => {
    writeFileSync(join(workspace.path, "a"), text);
    if (text.includes("fill")) fill();
    return "fine";
  });
}

describe("on a full disk", () => {
  test("turns, restores and checkpoints are refused by kind, nothing is lost, and all goes on when there is space", async (context) => {
    needsMount(context);
    await using workspace = await Workspace.open(join(root, "w"), { home });
    await using conversation = await Conversation.start(workspace, { engine: engineIn(workspace) });
    const first = await conversation.send("one");
    writeFileSync(join(workspace.path, "by-hand"), "not recorded yet");
    fill();
    await expect(conversation.send("two")).rejects.toMatchObject(FULL);
    await expect(workspace.restore("@~1")).rejects.toMatchObject(FULL);
    await expect(recordPresent(workspace)).rejects.toMatchObject(FULL);
    await expect(workspace.states.setCheckpoint("name", first.after.stateId ?? "")).rejects.toMatchObject(FULL);
    expect(readdirSync(workspace.path)).toEqual(["a", "by-hand"]);
    expect(await verifyWorkspace(workspace)).toEqual({ states: 2, problems: [] });
    free();
    const second = await conversation.send("two");
    expect(second.before.stateId).not.toBe(first.after.stateId);
    expect(conversation.history().map(({ prompt }) => prompt.text)).toEqual(["one", "two"]);
    await workspace.states.setCheckpoint("name", first.after.stateId ?? "");
    await workspace.restore("name");
    expect(readdirSync(workspace.path)).toEqual(["a"]);
    expect(await verifyWorkspace(workspace)).toEqual({ states: 4, problems: [] });
  });

  test("what was recorded can still be listed, shown and searched, on one that may only be read too", async (context) => {
    needsMount(context);
    await using workspace = await Workspace.open(join(root, "w"), { home });
    await using conversation = await Conversation.start(workspace, { engine: engineIn(workspace) });
    await conversation.send("one");
    await conversation.send("two");
    fill();
    expect(await readAll(workspace)).toEqual({ prompts: ["two", "one"], conversations: 1, found: 1 });
    free();
    execFileSync("mount", ["-o", "remount,ro", home]);
    expect(await readAll(await Workspace.open(join(root, "w"), { home }))).toEqual({
      prompts: ["two", "one"],
      conversations: 1,
      found: 1,
    });
    execFileSync("mount", ["-o", "remount,rw", home]);
  });

  test("a turn whose record does not fit is kept as soon as there is space, by the same process too", async (context) => {
    needsMount(context);
    await using workspace = await Workspace.open(join(root, "w"), { home });
    await using conversation = await Conversation.start(workspace, { engine: engineIn(workspace) });
    await conversation.send("one");
    await expect(conversation.send("fill it")).rejects.toMatchObject(FULL);
    expect((await verifyWorkspace(workspace)).problems).toEqual([]);
    free();
    expect(await findInterruptedTurns(workspace)).toMatchObject([
      { conversationId: conversation.id, prompt: "fill it" },
    ]);
    await conversation.send("three");
    const [, cut, last] = conversation.history();
    expect(cut).toMatchObject({
      prompt: { text: "fill it" },
      execution: { outcome: expect.stringMatching(/^(?:completed|interrupted)$/u) },
    });
    expect((await cut?.filesChanged())?.map(({ type, path }) => `${type} ${path}`)).toEqual(["modified a"]);
    expect(last?.before.stateId).toBe(cut?.after.stateId);
    await using before = await conversation.undo();
    await using again = await before.undo();
    expect(readFileSync(join(workspace.path, "a"), "utf8")).toBe("one");
    expect(again.history()).toHaveLength(1);
    expect((await verifyWorkspace(workspace)).problems).toEqual([]);
    expect(readdirSync(join(workspace.home, "journals"))).toEqual([]);
    expect(readdirSync(join(home, "writers"))).toEqual([]);
  });
});

async function readAll(workspace: Workspace) {
  await using index = await TraceIndex.open(workspace);
  const recent = await index.recent();
  return {
    prompts: recent.map(({ prompt }) => prompt.text),
    conversations: (await index.conversations()).length,
    found: (await index.query({ text: "two" })).length,
  };
}
