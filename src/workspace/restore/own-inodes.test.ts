import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Workspace } from "../workspace.ts";

let root: string;
let directory: string;
let home: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skein-inodes-"));
  directory = join(root, "workspace");
  home = join(root, "home");
  mkdirSync(directory);
  git("init", "--quiet");
  for (let index = 0; index < 30; index += 1) writeFileSync(join(directory, `file-${index}`), `precious ${index}\n`);
  mkdirSync(join(directory, "node_modules/heavy"), { recursive: true });
  writeFileSync(join(directory, "node_modules/heavy/main.js"), "heavy\n");
  writeFileSync(join(directory, ".gitignore"), "node_modules\n");
  git("add", "--all");
  git("commit", "--quiet", "--message", "x");
});

afterEach(() => rmSync(root, { recursive: true, force: true, maxRetries: 9 }));

describe.each(["loose", "packed", "many loose"])("a repository with %s objects", (kind) => {
  beforeEach(() => {
    if (kind === "packed") git("gc", "--quiet");
    if (kind === "many loose") {
      for (let index = 0; index < 120; index += 1) writeFileSync(join(directory, `more-${index}`), `more ${index}\n`);
      git("add", "--all");
      git("commit", "--quiet", "--message", "more");
    }
    settle();
  });

  it("shares no inode with the store, from the workspace or from a branch of any kind", async () => {
    await using workspace = await Workspace.open(directory, { home });
    const state = await record(workspace);
    expect(shared()).toEqual([]);
    await using made = await workspace.branch(state);
    await using copied = await workspace.branch(state, join(root, "copy"));
    writeFileSync(join(made.view, "file-1"), "changed on the branch\n");
    writeFileSync(join(copied.path, "file-1"), "changed in the copy\n");
    await made.snapshot();
    await copied.snapshot();
    expect(shared()).toEqual([]);
  });

  it("can have every file of the workspace overwritten in place, and all of it comes back", async () => {
    await using workspace = await Workspace.open(directory, { home });
    const { id } = await workspace.snapshot();
    for (const path of filesBelow(directory)) {
      chmodSync(path, 0o644);
      writeFileSync(path, "oops\n");
    }
    rmSync(join(directory, ".git"), { recursive: true });
    await workspace.snapshots.restore(id, directory);
    expect(readFileSync(join(directory, "file-7"), "utf8")).toBe("precious 7\n");
    expect(await workspace.snapshots.verify()).toEqual([]);
  });
});

it("takes only what the index needs, not the whole of the user's packs", async () => {
  writeFileSync(join(directory, "old"), "an older content that nothing holds any more\n");
  git("add", "--all");
  git("commit", "--quiet", "--message", "old");
  const old = git("rev-parse", "HEAD:old").trim();
  git("rm", "--quiet", "old");
  git("commit", "--quiet", "--message", "without it");
  git("gc", "--quiet");
  settle();
  await using workspace = await Workspace.open(directory, { home });
  const { id } = await workspace.snapshot();
  const known = execFileSync("git", ["cat-file", "--batch-check", "--batch-all-objects"], {
    cwd: workspace.gitDirectory,
    encoding: "utf8",
  });
  expect(known).not.toContain(old);
  git("commit", "--amend", "--quiet", "--message", "all is gone", "--allow-empty");
  git("reflog", "expire", "--all", "--expire=now");
  git("gc", "--quiet", "--prune=now");
  expect((await workspace.snapshots.read(id, "file-3")).toString()).toBe("precious 3\n");
  expect(await workspace.snapshots.verify()).toEqual([]);
});

it("does not keep an inode that the workspace's own files share with each other", async () => {
  linkSync(join(directory, "file-1"), join(directory, "file-1-again"));
  await using workspace = await Workspace.open(directory, { home });
  await using branch = await workspace.branch(await record(workspace), join(root, "copy"));
  writeFileSync(join(branch.path, "file-1"), "changed\n");
  expect(readFileSync(join(directory, "file-1"), "utf8")).toBe("precious 1\n");
  expect(readFileSync(join(branch.path, "file-1-again"), "utf8")).toBe("precious 1\n");
});

async function record(workspace: Workspace): Promise<string> {
  const { id } = await workspace.snapshot();
  const files = new Map([["state.json", "{}"]]);
  const state = { snapshotId: id, files, session: new Map(), message: "a state", recordedAtMs: Date.now() };
  return (await workspace.states.write(state)).id;
}

/** The files of the workspace, the copy and the store that are one file under two names, across two of the three places. */
function shared(): readonly string[] {
  const places = [directory, home, join(root, "copy")].filter((place) => existsSync(place));
  const seen = new Map<string, string>();
  const found: string[] = [];
  for (const place of places) {
    for (const path of filesBelow(place)) {
      const { dev, ino } = lstatSync(path);
      const before = seen.get(`${dev} ${ino}`);
      if (before !== undefined && before !== place) found.push(path);
      seen.set(`${dev} ${ino}`, place);
    }
  }
  return found;
}

function filesBelow(folder: string): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** An index that is younger than its files is believed: a first snapshot then reads none of them. */
function settle(): void {
  execFileSync("find", [
    directory,
    "-name",
    ".git",
    "-prune",
    "-o",
    "-type",
    "f",
    "-exec",
    "touch",
    "-d",
    "1 hour ago",
    "{}",
    "+",
  ]);
  git("update-index", "--refresh");
}

function git(...args: string[]): string {
  const named = ["-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "gc.auto=0", ...args];
  return execFileSync("git", named, { cwd: directory, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}
