import { execFile } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Clock } from "../../core/index.ts";
import { systemClock } from "../../core/internal.ts";
import { createFakeEngine } from "../../testing/index.ts";
import { Workspace } from "../../workspace/index.ts";
import { collectGarbage } from "./collect-garbage.ts";
import { Conversation } from "../conversation/conversation.ts";
import { findInterruptedTurns } from "./interrupted-turns.ts";
import { TraceIndex } from "../state-index/trace-index.ts";
import { verifyWorkspace } from "./verify-workspace.ts";

const DAY_MS = 86_400_000;
const run = promisify(execFile);

let root: string;
let workspace: Workspace;
/** How far the clock is ahead. */
let aheadMs: number;
const clock: Clock = { now: () => systemClock.now() + aheadMs, sleep: systemClock.sleep };

beforeEach(async () => {
  aheadMs = 0;
  root = await realpath(await mkdtemp(join(tmpdir(), "skein-garbage-")));
  workspace = await Workspace.open(join(root, "w"), { home: join(root, "home"), clock });
});

afterEach(async () => {
  await workspace.close();
  await rm(root, { recursive: true, force: true, maxRetries: 9 });
});

const file = (name: string): string => join(workspace.path, name);

/** A conversation whose turns write the file `a` with their prompt. */
async function talk(place: Workspace, ...prompts: readonly string[]): Promise<Conversation> {
  const engine = createFakeEngine(({ text }) => {
    writeFileSync(join(place.path, "a"), text);
    return "fine";
  });
  const conversation = await Conversation.start(place, { engine });
  for (const prompt of prompts) await conversation.send(prompt);
  return conversation;
}

const refsOf = (removed: readonly { readonly ref: string }[]): readonly string[] => removed.map(({ ref }) => ref);

describe("a garbage collection", () => {
  it("removes conversations that nobody went on with, and keeps checkpoints, heads and branches", async () => {
    const base = await talk(workspace, "base");
    const aside = async (...prompts: readonly string[]): Promise<Conversation> => {
      await workspace.restore(base.id);
      return await talk(workspace, ...prompts);
    };
    const old = await aside("forgotten one", "forgotten two");
    const named = await aside("named one", "named two");
    await workspace.states.setCheckpoint("kept", named.history()[0]?.after.stateId ?? "");
    const branched = await aside("branched");
    await using branch = await workspace.branch("@");
    await branch.restore(branched.id);
    const here = await aside("here");
    await using index = await TraceIndex.open(workspace);
    const indexed = async (): Promise<readonly string[]> =>
      (await index.query({ kind: "turn", order: "oldest" })).map(({ turn }) => turn?.prompt ?? "");
    expect(await indexed()).toEqual([
      "base",
      "forgotten one",
      "forgotten two",
      "named one",
      "named two",
      "branched",
      "here",
    ]);
    aheadMs = 91 * DAY_MS;
    const before = await verifyWorkspace(workspace);
    const dry = await collectGarbage(workspace, { dryRun: true });
    const done = await collectGarbage(workspace);

    const conversations = refsOf(done.removed).filter((ref) => ref.includes("/conversations/"));
    expect(conversations).toEqual([base, old, named].map(({ id }) => `refs/skein/conversations/${id}`));
    expect(dry.removed).toEqual(done.removed);
    expect([...(await workspace.states.conversations()).keys()]).toEqual([branched.id, here.id]);
    expect((await workspace.read("kept", "a")).toString()).toBe("named one");
    expect((await workspace.read("@", "a")).toString()).toBe("here");
    expect((await branch.read("@", "a")).toString()).toBe("branched");
    expect(await verifyWorkspace(workspace)).toEqual({ states: before.states - 4, problems: [] });
    expect(await indexed()).toEqual(["base", "named one", "branched", "here"]);
    expect((await index.recent()).map(({ prompt }) => prompt.text)).toEqual(["here", "branched", "named one", "base"]);
    expect((await here.send("goes on")).execution.outcome).toBe("completed");
  });

  it("keeps the snapshot that undoes a restore as long as it is young, however often it runs", async () => {
    await using conversation = await talk(workspace, "one", "two");
    await writeFile(file("by-hand"), "not recorded");
    const { undo } = await workspace.restore(conversation.history()[0]?.after.stateId ?? "");
    expect(existsSync(file("by-hand"))).toBe(false);
    aheadMs = 13 * DAY_MS;
    for (let round = 0; round < 3; round += 1) await collectGarbage(workspace);
    await workspace.restore(undo);
    expect(await readFile(file("by-hand"), "utf8")).toBe("not recorded");
    aheadMs = 40 * DAY_MS;
    await workspace.restore("@");
    await collectGarbage(workspace);
    expect((await verifyWorkspace(workspace)).problems).toEqual([]);
  });

  it("only tells in a dry run, and forgets branches whose directories are gone", async () => {
    await talk(workspace, "one");
    const branch = await workspace.branch("@", join(root, "branch"));
    await talk(branch, "in the branch");
    await branch.close();
    await rm(join(root, "branch"), { recursive: true });
    const refs = async (): Promise<readonly string[]> =>
      [...(await workspace.states.tips()).keys()].filter((ref) => ref.includes("/branches/"));
    const [ref = ""] = await refs();
    const reason = "its directory or its process is gone";
    for (let round = 0; round < 2; round += 1) {
      expect((await collectGarbage(workspace, { dryRun: true })).removed).toEqual([{ ref, reason }]);
    }
    expect((await collectGarbage(workspace)).removed).toEqual([{ ref, reason }]);
    expect(await refs()).toEqual([]);
    expect((await collectGarbage(workspace)).removed).toEqual([]);
    expect((await workspace.states.conversations()).size).toBe(2);
  });

  it("takes nothing from a turn that runs, however old its conversation is", async () => {
    await using conversation = await talk(workspace, "one");
    aheadMs = 200 * DAY_MS;
    await writeFile(file("by-hand"), "before the turn");
    for await (const event of conversation.stream("two")) {
      if (event.type === "turn-start") await collectGarbage(workspace, { keepDays: 0 });
    }
    expect(conversation.history().map(({ prompt }) => prompt.text)).toEqual(["one", "two"]);
    const before = conversation.history()[1]?.before.stateId ?? "";
    expect((await workspace.read(before, "by-hand")).toString()).toBe("before the turn");
    expect((await verifyWorkspace(workspace)).problems).toEqual([]);
    expect(await findInterruptedTurns(workspace)).toEqual([]);
    expect(await workspace.states.held()).toEqual(new Map());
  });

  it("of the user's own repository changes nothing", async () => {
    const git = (...args: string[]) =>
      run("git", ["-c", "user.name=A", "-c", "user.email=a@b", ...args], { cwd: workspace.path });
    await git("init", "-q");
    await writeFile(file("kept.txt"), "committed");
    await git("add", ".");
    await git("commit", "-qm", "first");
    await writeFile(file("kept.txt"), "staged, and never committed");
    await git("add", ".");
    await using conversation = await talk(workspace, "one");
    await git("reset", "-q", "--hard");
    await git("clean", "-qfd");
    await conversation.send("two");
    await git("reflog", "expire", "--expire=now", "--all");
    await git("gc", "-q", "--prune=now");
    expect((await verifyWorkspace(workspace)).problems).toEqual([]);
    await workspace.restore(conversation.history()[0]?.after.stateId ?? "");
    expect(await readFile(file("a"), "utf8")).toBe("one");
    expect(await readFile(file("kept.txt"), "utf8")).toBe("staged, and never committed");
    expect((await git("diff", "--cached", "--name-only")).stdout).toBe("kept.txt\n");
  });
});
