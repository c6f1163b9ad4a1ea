import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { BranchOptions } from "./branch-options.ts";
import { Workspace, type WorkspaceOptions } from "../workspace.ts";
import { findIdleGlobs, findNotCarried } from "./not-carried.ts";

let root: string;
let directory: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skein-carry-")));
  directory = join(root, "app");
  write(".gitignore", "data/\n*.log\nforced/\n");
  write("src/a.txt", "a");
  write("src/deep/debug.log", "log");
  write("data/big/one.csv", "1");
  write("data/two.txt", "2");
  write("forced/held.txt", "held");
  write("forced/other.txt", "other");
  write(".env", "KEY=1");
  write("node_modules/pkg/index.js", "1");
  write("packages/x/node_modules/y.js", "1");
  write("model.bin", "x".repeat(2000));
  execFileSync("git", ["init", "-q"], { cwd: directory });
  execFileSync("git", ["add", "-f", "forced/held.txt"], { cwd: directory });
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

it("lists what no state holds and branches lack, and heavy folders that they get are not among it", async () => {
  const options = optionsWith({});
  await using workspace = await Workspace.open(directory, options);
  expect((await findNotCarried(workspace, options)).map(({ path, reason }) => `${path} ${reason}`)).toEqual([
    ".env secret",
    "data ignored",
    "forced/other.txt ignored",
    "model.bin too-large",
    "packages/x/node_modules heavy",
    "src/deep/debug.log ignored",
  ]);
});

it.each(["copy", undefined] as const)(
  "carries what globs name, and nothing of it counts as a change (%s)",
  async (kind) => {
    symlinkSync("/etc", join(directory, "data/away"));
    const alsoCarry = [
      ".env",
      "data/big",
      "*.bin",
      "**/*.log",
      "packages",
      "forced",
      "src/a.txt",
      "../elsewhere",
      "none",
    ];
    const options = optionsWith({ alsoCarry, kind });
    await using workspace = await Workspace.open(directory, options);
    expect((await findNotCarried(workspace, options)).map(({ path }) => path)).toEqual(["data"]);
    expect(await findIdleGlobs(workspace, options)).toEqual(["src/a.txt", "../elsewhere", "none"]);
    const state = await recorded(workspace);
    await using branch = await workspace.branch(state.id);
    const found = [".env", "data/big/one.csv", "model.bin", "src/deep/debug.log", "packages/x/node_modules/y.js"];
    expect(found.filter((path) => !existsSync(join(branch.view, path)))).toEqual([]);
    expect(readFileSync(join(branch.view, "forced/other.txt"), "utf8")).toBe("other");
    expect(["data/two.txt", "data/away"].filter((path) => existsSync(join(branch.view, path)))).toEqual([]);
    expect((await branch.snapshot()).id).toBe(state.snapshotId);
    // A copy: what is done to it stays on the branch.
    writeFileSync(join(branch.view, ".env"), "KEY=2");
    expect(readFileSync(join(directory, ".env"), "utf8")).toBe("KEY=1");
  },
);

it("takes a file that was changed since along as it is now", async () => {
  const options = optionsWith({ alsoCarry: [".env"] });
  await using workspace = await Workspace.open(directory, options);
  const state = await recorded(workspace);
  await (await workspace.branch(state.id)).close();
  writeFileSync(join(directory, ".env"), "KEY=another");
  await using branch = await workspace.branch(state.id);
  expect(readFileSync(join(branch.view, ".env"), "utf8")).toBe("KEY=another");
});

function optionsWith(branches: BranchOptions): WorkspaceOptions {
  return { home: join(root, "home"), sizeLimitBytes: 1000, branches };
}

async function recorded(workspace: Workspace): Promise<{ readonly id: string; readonly snapshotId: string }> {
  const { id: snapshotId } = await workspace.snapshot();
  const files = new Map([["state.json", "{}"]]);
  const { id } = await workspace.states.write({ snapshotId, files, session: new Map(), message: "x", recordedAtMs: 0 });
  return { id, snapshotId };
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  writeFileSync(join(directory, path), text);
}
