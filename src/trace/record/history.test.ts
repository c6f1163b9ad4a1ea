import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { recordTurns } from "../../../test/support/record-turns.ts";
import { createFakeEngine } from "../../testing/index.ts";
import { Workspace } from "../../workspace/index.ts";
import { Conversation } from "../conversation/conversation.ts";
import { addNote } from "./note.ts";
import type { State } from "./state.ts";

let root: string;
const parts = { engine: createFakeEngine(() => "fine") };

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skein-history-")));
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true, maxRetries: 9 });
});

describe("a conversation that is loaded", () => {
  it("has read as much of the store, gone on and been undone, whether it is long or short", async () => {
    const [short, long] = [await makeConversation(5), await makeConversation(150)];
    const asked = logGit();
    const count = async (turns: readonly State[], work: (conversation: Conversation) => Promise<unknown>) => {
      await using workspace = await openAt(turns);
      const before = asked().length;
      await using conversation = await Conversation.load(workspace, turns[0]?.conversationId ?? "", parts);
      await work(conversation);
      return asked().slice(before).length;
    };
    const works: readonly ((conversation: Conversation) => Promise<unknown>)[] = [
      async () => undefined,
      async (conversation) => await conversation.send("one more"),
      async (conversation) => await (await conversation.fork()).close(),
      async (conversation) => await (await conversation.undo()).close(),
    ];
    // A capture may have to look at a young file twice: a few more or less are not the length's doing.
    for (const work of works) expect(await count(long, work)).toBeLessThan((await count(short, work)) + 20);
    const ofHistory = async (conversation: Conversation) => conversation.history();
    expect(await count(long, ofHistory)).toBeGreaterThan(150 * 4);
    expect(await count(short, ofHistory)).toBeLessThan(100);
  });

  it("tells all of its turns when it is asked, with what was noted since, and those that came after", async () => {
    const turns = await makeConversation(40);
    await using workspace = await openAt(turns);
    await addNote(workspace, turns[20]?.id ?? "", { rewards: { good: 1 } });
    await using conversation = await Conversation.load(workspace, "@", parts);
    await conversation.send("turn 40");
    const told = conversation.history();
    expect(told.map(({ prompt }) => prompt.text)).toEqual(Array.from({ length: 41 }, (_, at) => `turn ${at}`));
    expect(told.map(({ after }) => after.stateId).slice(0, 40)).toEqual(turns.map(({ id }) => id));
    expect(told.map(({ rewards }) => rewards).filter(({ good }) => good === 1)).toHaveLength(1);
    expect(told[20]?.rewards).toEqual({ good: 1 });
    expect(conversation.history()).toBe(told);
    expect(conversation.totalCostUsd).toBeCloseTo(0.4, 6);
    await conversation.send("turn 41");
    expect(conversation.history().slice(0, 41)).toEqual(told);
    expect(conversation.history()).toHaveLength(42);
  });

  it("tells the turns up to a place where the store is damaged only to who goes that far", async () => {
    const turns = await makeConversation(30);
    await using workspace = await openAt(turns);
    await using elsewhere = await Conversation.start(workspace, parts);
    await elsewhere.send("another conversation, begun from there");
    await removeObject(workspace, turns[10]?.id ?? "");
    await using conversation = await Conversation.load(workspace, elsewhere.id, parts);
    expect(conversation.history().map(({ prompt }) => prompt.text)).toEqual(["another conversation, begun from there"]);
    await using damaged = await Conversation.load(workspace, turns[0]?.conversationId ?? "", parts);
    expect(damaged.tip?.id).toBe(turns[29]?.id);
    expect(() => damaged.history()).toThrow(expect.objectContaining({ kind: "state_not_found" }) as Error);
  });
});

let made = 0;

/** Records turns in a workspace of their own. */
async function makeConversation(count: number): Promise<readonly State[]> {
  made += 1;
  await using workspace = await Workspace.open(join(root, `w${made}`), { home: join(root, `home${made}`) });
  writeFileSync(join(workspace.path, "a"), "a");
  const turns = await recordTurns(
    workspace,
    Array.from({ length: count }, (_, at) => ({ prompt: `turn ${at}` })),
  );
  const tip = turns.at(-1);
  if (tip) await workspace.states.setHead({ stateId: tip.id, conversationId: tip.conversationId });
  places.set(turns, made);
  return turns;
}

const places = new WeakMap<readonly State[], number>();

async function openAt(turns: readonly State[]): Promise<Workspace> {
  const place = places.get(turns);
  return await Workspace.open(join(root, `w${place}`), { home: join(root, `home${place}`) });
}

/** Puts a git before the real one that writes down how it is called, and every object that it is asked for. */
function logGit(): () => readonly string[] {
  const [folder, log] = [join(root, "bin"), join(root, "git.log")];
  const git = execFileSync("which", ["git"]).toString("utf8").trim();
  mkdirSync(folder);
  writeFileSync(log, "");
  writeFileSync(
    join(folder, "git"),
    `#!/bin/sh\necho "$*" >>'${log}'\ncase "$*" in *cat-file*) tee -a '${log}' | '${git}' "$@";; *) exec '${git}' "$@";; esac\n`,
  );
  chmodSync(join(folder, "git"), 0o755);
  vi.stubEnv("PATH", `${folder}:${process.env["PATH"]}`);
  return () => readFileSync(log, "utf8").split("\n").filter(Boolean);
}

/** Takes one object out of the store. */
async function removeObject({ gitDirectory }: Workspace, id: string): Promise<void> {
  const packs = join(gitDirectory, "objects", "pack");
  const git = (args: readonly string[], input?: Buffer): Buffer =>
    execFileSync("git", [`--git-dir=${gitDirectory}`, ...args], { input, stdio: ["pipe", "pipe", "ignore"] });
  const held = join(root, "held-packs");
  execFileSync("mv", [packs, held]);
  mkdirSync(packs);
  for (const pack of execFileSync("find", [held, "-name", "*.pack"]).toString("utf8").split("\n").filter(Boolean)) {
    git(["unpack-objects", "-q"], readFileSync(pack));
  }
  rmSync(join(gitDirectory, "objects", id.slice(0, 2), id.slice(2)));
}
