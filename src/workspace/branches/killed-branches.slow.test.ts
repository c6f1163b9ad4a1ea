import { deepStrictEqual } from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { prepareBranchBench } from "../../testing/index.ts";
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
const ALL: readonly BranchKind[] = ["overlay", "private-overlay", "clone", "copy"];
const KINDS = ALL.slice(ALL.indexOf(best));

it.each(KINDS)(
  "a branch of kind %s leaves nothing that the next start does not take away, whenever its process is killed",
  async (kind) => {
    const states = [await recorded("one"), await recorded("two"), await recorded("three")];
    for (const waitMs of [0, 5, 15, 40, 70, 110, 160, 230]) {
      await killAfter(waitMs, { states, branches: kind === best ? { maxBases: 1 } : { kind, maxBases: 1 } });
      await using workspace = await Workspace.open(directory, { home, branches: { kind } });
      expect(mounts()).toEqual([]);
      expect(namesIn(join(workspace.home, "branches"))).toEqual([]);
      expect(namesIn(join(workspace.home, "bases")).filter((name) => name.endsWith(".half"))).toEqual([]);
      await using branch = await workspace.branch(states[0] ?? "");
      expect(readFileSync(join(branch.view, "a.txt"), "utf8")).toBe("one");
    }
  },
);

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

/** Has another process make bases, branches and captures, and remove them, without an end, and kills it. */
async function killAfter(
  waitMs: number,
  { states, branches }: { readonly states: readonly string[]; readonly branches: BranchOptions },
): Promise<void> {
  const script = `
    const { Workspace } = await import(${JSON.stringify(BUILT)});
    const { writeFileSync } = await import("node:fs");
    const workspace = await Workspace.open(${JSON.stringify(directory)}, ${JSON.stringify({ home, branches })});
    console.log("open");
    for (let round = 0; ; round += 1) {
      const branch = await workspace.branch(${JSON.stringify(states)}[round % ${states.length}]);
      writeFileSync(branch.view + "/b.txt", String(round));
      await branch.snapshot();
      if (Math.random() < 0.7) await branch.close();
    }`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  // Not a wait for something to be done: each death comes at another point of the work.
  await new Promise((resolve) => setTimeout(resolve, waitMs));
  child.kill("SIGKILL");
  await once(child, "close");
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** What is mounted below the test's folder. */
function mounts(): readonly string[] {
  if (!existsSync("/proc/self/mountinfo")) return [];
  return readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .filter((line) => line.includes(root));
}
