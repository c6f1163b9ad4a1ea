import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statfsSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, type TestContext } from "vitest";
import { type Clock } from "../src/core/index.ts";
import { systemClock } from "../src/core/internal.ts";
import { createFakeEngine } from "../src/testing/index.ts";
import { collectGarbage, Conversation, verifyWorkspace } from "../src/trace/index.ts";
import { Workspace } from "../src/workspace/index.ts";
import { runSkeinJson } from "./cli/support/skein.ts";
import { fillDisk, mountSmallDisk, type SmallDisk } from "./support/small-disk.ts";

const DAY_MS = 86_400_000;
const later: Clock = { now: () => systemClock.now() + 91 * DAY_MS, sleep: systemClock.sleep };

let root: string;
let home: string;
let disk: SmallDisk | undefined;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skein-full-gc-")));
  home = join(root, "small");
  mkdirSync(home);
  disk = mountSmallDisk(home, "8m");
});

afterEach(() => {
  disk?.unmount();
  rmSync(root, { recursive: true, force: true, maxRetries: 9 });
});

function needsMount(context: TestContext): void {
  if (!disk) context.skip("a small disk can only be made by root, where mounts are allowed");
}

/** Runs turns that write a file of random bytes each, and gives their conversation's id. */
async function talk(workspace: Workspace, prompts: readonly string[], sizeBytes: number): Promise<string> {
  const engine = createFakeEngine(({ text }) => {
    writeFileSync(join(workspace.path, text), randomBytes(sizeBytes));
    return "fine";
  });
  await using conversation = await Conversation.start(workspace, { engine });
  for (const prompt of prompts) await conversation.send(prompt);
  return conversation.id;
}

const gitOf = (workspace: Workspace, args: readonly string[], input?: Buffer): string =>
  execFileSync("git", [`--git-dir=${workspace.gitDirectory}`, ...args], { input })
    .toString("utf8")
    .trim();

/** Makes everything in the store as old as it has to be to be removed. */
function age(workspace: Workspace): void {
  const old = (Date.now() - 2 * DAY_MS) / 1000;
  for (const entry of readdirSync(join(workspace.gitDirectory, "objects"), { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) utimesSync(join(entry.parentPath, entry.name), old, old);
  }
}

const freeBytes = (): number => {
  const { bavail, bsize } = statfsSync(home);
  return bavail * bsize;
};

const packsIn = (gitDirectory: string): readonly string[] => readdirSync(join(gitDirectory, "objects", "pack"));

/** A store with everything in it that can be freed without writing: an old conversation, a base, and what killed processes left. */
async function makeGarbage() {
  await using workspace = await Workspace.open(join(root, "w"), { home });
  const { gitDirectory } = workspace;
  const base = await talk(workspace, ["base"], 1000);
  const old = await talk(workspace, ["one", "two"], 300_000);
  await (await workspace.branch("@")).close();
  // Away from it, so that what follows does not go on from it.
  await workspace.restore(base);
  const here = await talk(workspace, ["three"], 100_000);
  const loose = gitOf(workspace, ["hash-object", "-w", "--stdin"], randomBytes(200_000));
  writeFileSync(join(gitDirectory, "objects", "pack", "tmp_pack_left"), randomBytes(50_000));
  const bases = join(workspace.home, "bases");
  mkdirSync(join(bases, `${"0".repeat(32)}.half`), { recursive: true });
  age(workspace);
  return { old, here, loose, gitDirectory, bases };
}

describe("a garbage collection without a byte to spare", () => {
  test("removes first what takes no space to remove, and then has the space for the rest", async (context) => {
    needsMount(context);
    const { old, here, loose, gitDirectory, bases } = await makeGarbage();
    fillDisk(home);
    expect(freeBytes()).toBe(0);
    {
      await using workspace = await Workspace.open(join(root, "w"), { home, clock: later });
      const done = await collectGarbage(workspace);
      expect(done.notDone).toEqual([]);
      expect(done.removed.map(({ ref }) => ref)).toContain(`refs/skein/conversations/${old}`);
      expect(done.bytesBefore - done.bytesAfter).toBeGreaterThan(700_000);
      expect([...(await workspace.states.conversations()).keys()]).toEqual([here]);
      expect((await verifyWorkspace(workspace)).problems).toEqual([]);
    }
    // A git that is kept for reading has the old packs open until the workspace is closed.
    expect(freeBytes()).toBeGreaterThan(700_000);
    expect(existsSync(join(gitDirectory, "objects", loose.slice(0, 2), loose.slice(2)))).toBe(false);
    expect(packsIn(gitDirectory).filter((name) => !name.startsWith("pack-"))).toEqual([]);
    expect(readdirSync(bases).filter((name) => !name.endsWith(".lock"))).toEqual([]);
    expect(readdirSync(join(root, "w"))).toEqual(["base", "three"]);
  });

  test("says what it could not do where there is nothing to begin with, and loses nothing", async (context) => {
    needsMount(context);
    await using workspace = await Workspace.open(join(root, "w"), { home });
    const base = await talk(workspace, ["base"], 1000);
    const old = await talk(workspace, ["one", "two"], 1_000_000);
    await workspace.restore(base);
    const here = await talk(workspace, ["three"], 100_000);
    gitOf(workspace, ["repack", "-adq"]);
    gitOf(workspace, ["pack-refs", "--all"]);
    age(workspace);
    const before = await verifyWorkspace(workspace);
    const was = packsIn(workspace.gitDirectory);
    fillDisk(home);

    await using late = await Workspace.open(workspace.path, { home, clock: later });
    const { notDone, removed } = await collectGarbage(late);
    expect(removed).toEqual([]);
    expect(notDone.length).toBeGreaterThan(0);
    expect(new Set(notDone.map(({ kind }) => kind))).toEqual(new Set(["resource_exhausted"]));
    expect(packsIn(workspace.gitDirectory)).toEqual(was);
    expect([...(await late.states.conversations()).keys()].toSorted()).toEqual([base, old, here].toSorted());
    expect(await verifyWorkspace(late)).toEqual(before);

    rmSync(join(home, "filler"));
    const done = await collectGarbage(late);
    expect(done.notDone).toEqual([]);
    expect(done.removed.map(({ ref }) => ref)).toContain(`refs/skein/conversations/${old}`);
    expect((await verifyWorkspace(late)).problems).toEqual([]);
  });

  test("is told by the command too", async (context) => {
    needsMount(context);
    const cwd = join(root, "w");
    await using workspace = await Workspace.open(cwd, { home });
    await talk(workspace, ["one"], 100_000);
    gitOf(workspace, ["repack", "-adq"]);
    age(workspace);
    fillDisk(home);
    const { code, envelope } = await runSkeinJson(["gc", "--yes", "--keep-days", "0"], {
      cwd,
      env: { SKEIN_HOME: home },
    });
    expect([code, envelope["error"]]).toEqual([0, undefined]);
    const kind = "resource_exhausted";
    expect(envelope["data"]).toMatchObject({
      dry_run: false,
      not_done: [{ kind, what: "What is kept no longer could not be removed" }, { kind }],
    });
    expect((await verifyWorkspace(workspace)).problems).toEqual([]);
  });
});
