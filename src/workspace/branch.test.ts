import { deepStrictEqual } from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BRANCH_CONTRACT, prepareBranchBench } from "../testing/index.ts";
import type { BranchKind, BranchOptions } from "./branch-options.ts";
import { detectBranchKind } from "./detect-branch-kind.ts";
import { Workspace } from "./workspace.ts";

// Other processes run the built package: `npm test` builds it first.
const BUILT = new URL("../../dist/workspace/index.js", import.meta.url).href;

let root: string;
let directory: string;
let home: string;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "skein-branch-"));
  directory = join(root, "workspace");
  home = join(root, "home, with a comma: and a colon");
  mkdirSync(directory);
  await prepareBranchBench(directory);
});

afterEach(() => {
  deepStrictEqual(mounts(), []);
  rmSync(root, { recursive: true, force: true, maxRetries: 3 });
});

const probe = mkdtempSync(join(tmpdir(), "skein-branch-probe-"));
const { kind: best } = await detectBranchKind(probe);
rmSync(probe, { recursive: true });
const canOverlay = best === "overlay";
const KINDS: readonly BranchKind[] = (["overlay", "private-overlay", "copy"] as const).slice(
  ["overlay", "private-overlay", "copy"].indexOf(best),
);

for (const kind of KINDS) {
  describe(`a branch of kind ${kind}`, () => {
    for (const { name, check } of BRANCH_CONTRACT) {
      it(name, async () => {
        await using workspace = await open({ kind });
        await check({ workspace });
      });
    }

    it("leaves no mount and no folder that the next start does not take away, whenever its process is killed", async () => {
      const state = await recorded();
      for (const waitMs of [0, 20, 90, 200]) {
        const script = `
          const { Workspace } = await import(${JSON.stringify(BUILT)});
          const workspace = await Workspace.open(${JSON.stringify(directory)}, ${JSON.stringify({ home, branches: { kind } })});
          console.log("open");
          for (;;) {
            const branch = await workspace.branch(${JSON.stringify(state)});
            if (Math.random() < 0.5) await branch.close();
          }`;
        const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
          stdio: ["ignore", "pipe", "inherit"],
        });
        await once(child.stdout, "data");
        // Not a wait for something to be done: each death comes at another point of the work.
        await new Promise((resolve) => setTimeout(resolve, waitMs));
        child.kill("SIGKILL");
        await once(child, "close");
        await using workspace = await open({ kind });
        expect(mounts()).toEqual([]);
        expect(
          existsSync(join(workspace.home, "branches")) ? readdirSync(join(workspace.home, "branches")) : [],
        ).toEqual([]);
        await using branch = await workspace.branch(state);
        expect(readFileSync(join(branch.view, "a.txt"), "utf8")).toBe("a.txt\n");
      }
    });

    it("is refused where there are as many as there may be", async () => {
      const state = await recorded();
      await using workspace = await open({ kind, maxBranches: 1 });
      const first = await workspace.branch(state);
      await expect(workspace.branch(state)).rejects.toMatchObject({ kind: "resource_exhausted", resource: "branches" });
      await first.close();
      await using second = await workspace.branch(state);
      expect(second.branchKind).toBe(kind);
    });
  });
}

describe.runIf(canOverlay)("bases", () => {
  it("are shared by the branches of a state, kept after them, and go when others are used, the oldest first", async () => {
    const states: string[] = [];
    for (const text of ["one", "two", "three"]) {
      writeFileSync(join(directory, "a.txt"), text);
      states.push(await recorded());
    }
    const [one = "", two = "", three = ""] = states;
    await using workspace = await open({ kind: "overlay", maxBases: 2 });
    const held = await workspace.branch(one);
    for (const state of [two, two, three]) await (await workspace.branch(state)).close();
    const bases = (): readonly string[] =>
      readdirSync(join(workspace.home, "bases")).filter((name) => !name.includes("."));
    // One too many, for the oldest is in use.
    expect(bases()).toHaveLength(3);
    expect(readFileSync(join(held.view, "a.txt"), "utf8")).toBe("one");
    await held.close();
    writeFileSync(join(directory, "a.txt"), "four");
    await (await workspace.branch(await recorded())).close();
    expect(bases()).toHaveLength(2);
  });

  it("are read again where what was known of them is lost", async () => {
    const state = await recorded();
    const id = await once1(async (workspace) => {
      await using branch = await workspace.branch(state);
      return (await branch.snapshot()).id;
    });
    await using workspace = await open({ kind: "overlay" });
    rmSync(join(workspace.home, "memory"), { recursive: true });
    await using branch = await workspace.branch(state);
    expect((await branch.snapshot()).id).toBe(id);
  });
});

describe.runIf(canOverlay)("an overlay branch", () => {
  it("may not be captured when it has written more than its quota", async () => {
    const state = await recorded();
    await using workspace = await open({ kind: "overlay", quotaBytes: 1_000_000 });
    await using branch = await workspace.branch(state);
    await branch.snapshot();
    writeFileSync(join(branch.view, "large.log"), Buffer.alloc(2_000_000, 1));
    await expect(branch.snapshot()).rejects.toMatchObject({ kind: "resource_exhausted", resource: "disk" });
  });
});

async function open(branches: BranchOptions): Promise<Workspace> {
  return await Workspace.open(directory, { home, branches });
}

async function once1<T>(work: (workspace: Workspace) => Promise<T>): Promise<T> {
  await using workspace = await open({ kind: "overlay" });
  return await work(workspace);
}

async function recorded(): Promise<string> {
  await using workspace = await Workspace.open(directory, { home });
  const { id: snapshotId } = await workspace.snapshot();
  const state = {
    snapshotId,
    files: new Map([["state.json", "{}"]]),
    session: new Map(),
    message: "recorded",
    recordedAtMs: 0,
  };
  return (await workspace.states.write(state)).id;
}

/** What is mounted below the test's folder. */
function mounts(): readonly string[] {
  if (!existsSync("/proc/self/mountinfo")) return [];
  return readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .filter((line) => line.includes(root));
}
