import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { BranchKind } from "./branch-options.ts";
import { detectBranchKind } from "./detect-branch-kind.ts";
import { Workspace } from "../workspace.ts";

// Other processes run the built package: `npm test` builds it first.
const BUILT = new URL("../../../dist/workspace/index.js", import.meta.url).href;
const FILES = 1500;

let root: string;
let directory: string;
let home: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skein-bases-"));
  directory = join(root, "workspace");
  home = join(root, "home");
  for (let index = 0; index < FILES; index += 1) {
    const folder = join(directory, `folder-${index % 30}`);
    if (index < 30) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `file-${index}`), `content ${index}\n`);
  }
  execFileSync("git", ["init", "--quiet"], { cwd: directory });
});

afterEach(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));

const probe = mkdtempSync(join(tmpdir(), "skein-bases-probe-"));
const { kind: best } = await detectBranchKind({ home: probe, gitDirectory: probe });
rmSync(probe, { recursive: true });
const KINDS: readonly BranchKind[] = ["overlay", "private-overlay"];
const kind = KINDS.find((each) => each === best);

describe.runIf(kind !== undefined)("a base", () => {
  it("is made once by processes that ask for it at once, and is whole to each", async () => {
    const state = await recorded();
    const outputs = await Promise.all(Array.from({ length: 3 }, () => ended(start(state))));
    expect(new Set(outputs)).toEqual(new Set([`${state.snapshotId}\n`]));
    const { bases } = await places();
    expect(namesIn(bases).filter((name) => !name.includes("."))).toHaveLength(1);
  });

  it("that was cut off in the middle of its files is made anew", async () => {
    const state = await recorded();
    const { bases } = await places();
    const child = start(state);
    // Some files are there, and not all: the process is killed while they are written, or right after.
    while (countFiles(bases) < 20) await nextTurn();
    child.kill("SIGKILL");
    await once(child, "close");
    await using workspace = await open();
    await using branch = await workspace.branch(state.id);
    expect((await branch.snapshot()).id).toBe(state.snapshotId);
    expect(readdirSync(join(branch.view, "folder-7"))).toHaveLength(FILES / 30);
    expect(namesIn(bases).filter((name) => name.includes(".half"))).toEqual([]);
  });

  it("is not believed after the machine has started anew: its files may be empty then", async () => {
    const state = await recorded();
    const { bases } = await places();
    await using workspace = await open();
    await (await workspace.branch(state.id)).close();
    const [key = ""] = namesIn(bases).filter((name) => !name.includes("."));
    const path = join(bases, key, "base.json");
    const file = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
    writeFileSync(path, JSON.stringify({ ...file, boot: "another" }));
    truncateSync(join(bases, key, "tree/folder-7/file-7"));
    await using branch = await workspace.branch(state.id);
    expect(readFileSync(join(branch.view, "folder-7/file-7"), "utf8")).toBe("content 7\n");
    expect((await branch.snapshot()).id).toBe(state.snapshotId);
  });

  it("is what its state holds, though the workspace changes while it is made", async () => {
    const state = await recorded();
    await using workspace = await open();
    const making = workspace.branch(state.id);
    for (let index = 0; index < FILES; index += 1) {
      writeFileSync(join(directory, `folder-${index % 30}`, `file-${index}`), `changed ${index}\n`);
      if (index % 50 === 0) await nextTurn();
    }
    await using branch = await making;
    expect((await branch.snapshot()).id).toBe(state.snapshotId);
    expect(readFileSync(join(branch.view, "folder-9/file-39"), "utf8")).toBe("content 39\n");
  });

  it("that does not fit on the disk is told by its kind, and is there once it does", async (test) => {
    mkdirSync(home);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=24m", "tmpfs", home], { stdio: "ignore" });
    } catch {
      return test.skip("a small disk can only be made by root, where mounts are allowed");
    }
    try {
      const state = await recorded();
      const ballast = join(home, "ballast");
      const { bases } = await places();
      execFileSync("sh", ["-c", 'head -c 100m /dev/zero > "$1"; truncate -s -2m "$1"', "sh", ballast], {
        stdio: "ignore",
      });
      await using workspace = await open();
      await expect(workspace.branch(state.id)).rejects.toMatchObject({ kind: "resource_exhausted", resource: "disk" });
      rmSync(ballast);
      const branch = await workspace.branch(state.id);
      expect((await branch.snapshot()).id).toBe(state.snapshotId);
      await branch.close();
      expect(namesIn(bases).filter((name) => name.includes(".half"))).toEqual([]);
    } finally {
      execFileSync("umount", ["--lazy", home]);
    }
  });
});

interface Recorded {
  readonly id: string;
  readonly snapshotId: string;
}

async function open(): Promise<Workspace> {
  return await Workspace.open(directory, { home, branches: { kind } });
}

async function places(): Promise<{ readonly bases: string }> {
  await using workspace = await open();
  return { bases: join(workspace.home, "bases") };
}

async function recorded(): Promise<Recorded> {
  await using workspace = await open();
  const { id: snapshotId } = await workspace.snapshot();
  const files = new Map([["state.json", "{}"]]);
  const state = { snapshotId, files, session: new Map(), message: "recorded", recordedAtMs: 0 };
  return { id: (await workspace.states.write(state)).id, snapshotId };
}

/** Has another process make a branch of a state, and say what it holds. */
function start(state: Recorded) {
  const script = `
    const { Workspace } = await import(${JSON.stringify(BUILT)});
    const options = ${JSON.stringify({ home, branches: { kind } })};
    const workspace = await Workspace.open(${JSON.stringify(directory)}, options);
    const branch = await workspace.branch(${JSON.stringify(state.id)});
    console.log((await branch.snapshot()).id);
    await branch.close();
    await workspace.close();`;
  const args = ["--input-type=module", "--eval", script];
  return spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
}

async function ended(child: ReturnType<typeof start>): Promise<string> {
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
  await once(child, "close");
  return text;
}

/** Nothing where there is no such folder, or no longer. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Files below the trees of bases that are whole or not; what is moved meanwhile is not counted. */
function countFiles(bases: string): number {
  let count = 0;
  for (const name of namesIn(bases)) {
    const tree = join(bases, name, "tree");
    for (const folder of namesIn(tree)) if (folder.startsWith("folder-")) count += namesIn(join(tree, folder)).length;
  }
  return count;
}
