import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { BranchKind, BranchOptions } from "./branch-options.ts";
import { detectBranchKind } from "./detect-branch-kind.ts";
import { Workspace } from "../workspace.ts";
import { prepareBranchBench } from "../../testing/index.ts";

let root: string;
let directory: string;
let reasons: string[];

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skein-shown, a path: with 'signs' ")));
  directory = join(root, "work space");
  mkdirSync(directory);
  await prepareBranchBench(directory);
  mkdirSync(join(directory, "node_modules/cli"), { recursive: true });
  writeFileSync(join(directory, "node_modules/cli/program"), "of the host");
  reasons = [];
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const probe = mkdtempSync(join(tmpdir(), "skein-shown-probe-"));
const { kind: best } = await detectBranchKind({ home: probe, gitDirectory: probe });
rmSync(probe, { recursive: true });
const ALL: readonly BranchKind[] = ["overlay", "private-overlay", "clone", "copy"];

describe.runIf(best === "overlay" || best === "private-overlay")(
  "a branch that is shown at its workspace's path",
  () => {
    it.each(ALL.slice(ALL.indexOf(best)))(
      "has its own files there, and keeps them to itself (kind %s)",
      async (kind) => {
        await using workspace = await open({ kind, programs: [join(directory, "node_modules/cli")] });
        await using branch = await workspace.branch(await recorded(workspace));
        const run = (script: string): string => {
          const [command = "", ...args] = branch.enter(["sh", "-c", script]);
          return execFileSync(command, args, {
            cwd: branch.view,
            encoding: "utf8",
            stdio: ["ignore", "pipe", "ignore"],
          });
        };
        const head = execFileSync("git", ["rev-parse", "HEAD"], { cwd: directory, encoding: "utf8" });

        expect(reasons).toEqual([]);
        expect(branch.agentPath).toBe(directory);
        expect(run('pwd; echo changed > "$PWD/a.txt"; cat "$PWD/a.txt"')).toBe(`${directory}\nchanged\n`);
        expect(run("git rev-parse HEAD; git status --porcelain 2>&1 | grep -c alternates || true")).toBe(`${head}0\n`);
        expect(readFileSync(join(branch.view, "a.txt"), "utf8")).toBe("changed\n");
        expect(readFileSync(join(directory, "a.txt"), "utf8")).not.toBe("changed\n");
        // The CLI that runs outside of the sandbox is not one that the agent wrote.
        expect(run("echo x > node_modules/cli/program || cat node_modules/cli/program")).toBe("of the host");
        expect(run("touch .git/lent/x .git/lent/pack/x || echo closed")).toBe("closed\n");
      },
    );

    it("is not shown there where it lacks a program that agents are started by", async () => {
      await using workspace = await open({ carry: [], programs: [join(directory, "node_modules/cli")] });
      await using branch = await workspace.branch(await recorded(workspace));
      expect([branch.agentPath, reasons]).toEqual([branch.path, [`branches lack ${directory}/node_modules/cli`]]);
    });

    it("is not shown there where it was given a directory of its own", async () => {
      await using workspace = await open({});
      await using branch = await workspace.branch(await recorded(workspace), join(root, "elsewhere"));
      expect([branch.agentPath, reasons]).toEqual([join(root, "elsewhere"), []]);
    });
  },
);

async function open(branches: BranchOptions): Promise<Workspace> {
  const onOwnPath = (reason: string): void => void reasons.push(reason);
  return await Workspace.open(directory, { home: join(root, "home"), branches: { ...branches, onOwnPath } });
}

async function recorded(workspace: Workspace): Promise<string> {
  const { id: snapshotId } = await workspace.snapshot();
  const state = {
    snapshotId,
    files: new Map([["state.json", "{}"]]),
    session: new Map(),
    message: "x",
    recordedAtMs: 0,
  };
  return (await workspace.states.write(state)).id;
}
