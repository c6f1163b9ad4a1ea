import { deepStrictEqual } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BRANCH_CONTRACT, prepareBranchBench } from "../../testing/index.ts";
import type { BranchKind, BranchOptions } from "./branch-options.ts";
import { detectBranchKind } from "./detect-branch-kind.ts";
import { Workspace } from "../workspace.ts";

// Other processes run the built package: `npm test` builds it first.
const BUILT = new URL("../../../dist/workspace/index.js", import.meta.url).href;

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
const { kind: best } = await detectBranchKind({ home: probe, gitDirectory: probe });
rmSync(probe, { recursive: true });
const canOverlay = best === "overlay";
const ALL: readonly BranchKind[] = ["overlay", "private-overlay", "clone", "copy"];
const KINDS = ALL.slice(ALL.indexOf(best));

for (const kind of KINDS) {
  describe(`a branch of kind ${kind}`, () => {
    for (const { name, check } of BRANCH_CONTRACT) {
      it(name, async () => {
        await using workspace = await open({ kind });
        await check({ workspace });
      });
    }

    it("may not be captured when it has written more than its quota, which is told while it is written", async () => {
      const state = await recorded();
      await using workspace = await open({ kind, quotaBytes: 1_000_000 });
      await using branch = await workspace.branch(state);
      await branch.snapshot();
      writeFileSync(join(branch.view, "large.log"), Buffer.alloc(2_000_000, 1));
      await expect(branch.snapshot()).rejects.toMatchObject({ kind: "resource_exhausted", resource: "disk" });
      const told = await new Promise((resolve) => void branch.watchQuota(resolve));
      expect(told).toMatchObject({ kind: "resource_exhausted", resource: "disk" });
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

describe("a branch of the kind that is found by trying", () => {
  it("is a copy where nothing can be mounted, and it is said once why", async () => {
    const state = await recorded();
    // No program but git can be found.
    const PATH = join(root, "bin");
    mkdirSync(PATH);
    symlinkSync(execFileSync("which", ["git"], { encoding: "utf8" }).trim(), join(PATH, "git"));
    const script = `
      const { Workspace } = await import(${JSON.stringify(BUILT)});
      const told = [];
      const branches = { onCopies: (reasons) => told.push(reasons.map((reason) => reason.split(":")[0])) };
      const options = { home: ${JSON.stringify(home)}, branches };
      const workspace = await Workspace.open(${JSON.stringify(directory)}, options);
      const made = [await workspace.branch(${JSON.stringify(state)}), await workspace.branch(${JSON.stringify(state)})];
      const kinds = made.map(({ branchKind }) => branchKind);
      for (const each of [...made, workspace]) await each.close();
      console.log(JSON.stringify({ told, kinds }));`;
    const output = execFileSync(process.execPath, ["--input-type=module", "--eval", script], { env: { PATH } });
    const { told, kinds } = JSON.parse(output.toString()) as { told: string[][]; kinds: string[] };
    const [kind = ""] = kinds;
    expect(["clone", "copy"]).toContain(kind);
    expect(kinds).toEqual([kind, kind]);
    expect(told).toEqual([["overlay", "private-overlay", ...(kind === "copy" ? ["clone"] : [])]]);
  });
});

describe.runIf(canOverlay)("bases", () => {
  it("are shared by the branches of a state, kept after them, and go when others are used, the oldest first", async () => {
    const states: string[] = [];
    for (const text of ["one", "two", "three"]) states.push(await recorded(text));
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

async function open(branches: BranchOptions): Promise<Workspace> {
  return await Workspace.open(directory, { home, branches });
}

async function once1<T>(work: (workspace: Workspace) => Promise<T>): Promise<T> {
  await using workspace = await open({ kind: "overlay" });
  return await work(workspace);
}

async function recorded(text?: string): Promise<string> {
  if (text !== undefined) writeFileSync(join(directory, "a.txt"), text);
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
