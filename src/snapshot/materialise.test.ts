import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createGitSnapshotStore } from "./git-snapshot-store.ts";
import type { SnapshotStore } from "./snapshot-store.ts";

let root: string;
let directory: string;
let branch: string;
let store: SnapshotStore;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "skein-materialise-"));
  directory = join(root, "workspace");
  branch = join(root, "branch");
  mkdirSync(directory);
  store = await createGitSnapshotStore({ workspace: directory, home: join(root, "home") });
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", 'Ada "the first" \\ Lovelace');
  git("config", "user.email", "ada@localhost");
  write(".gitignore", "node_modules\nbuilt\n");
  write("a", "one\n");
  write("src/b", "b\n");
  commit("one");
});

afterEach(async () => {
  await store.close();
  rmSync(root, { recursive: true, force: true });
});

describe("a materialised snapshot", () => {
  it("is the same snapshot when it is captured, and the origin is not touched", async () => {
    write("run.sh", "#!/bin/sh\n");
    chmodSync(join(directory, "run.sh"), 0o750);
    mkdirSync(join(directory, "empty/inner"), { recursive: true });
    symlinkSync("a", join(directory, "link"));
    writeFileSync(Buffer.concat([Buffer.from(`${directory}/caf`), Buffer.from([0xe9])]), "latin1 name\n");
    git("add", "--all");
    git("tag", "first");
    write("a", "staged\n");
    git("add", "a");
    write("a", "not staged\n");
    write("new", "");
    git("add", "--intent-to-add", "new");
    git("update-index", "--skip-worktree", "src/b");
    const { id } = await store.capture(directory);
    const before = fingerprint();
    expect(await store.materialise(id, branch)).toEqual({ git: "restored" });
    expect((await store.capture(branch)).id).toBe(id);
    for (const args of [
      ["status", "--porcelain=v2", "--branch"],
      ["log", "--format=%H %D"],
      ["diff"],
      ["ls-files", "--stage", "-v"],
    ]) {
      expect(gitIn(branch, ...args)).toBe(git("--no-optional-locks", ...args));
    }
    expect(fingerprint()).toBe(before);
  });

  it("is worked in like any repository, and nothing of that reaches the origin", async () => {
    git("branch", "other");
    const { id } = await store.capture(directory);
    const before = contents();
    await store.materialise(id, branch);
    gitIn(branch, "checkout", "--quiet", "-b", "experiment/one");
    writeFileSync(join(branch, "a"), "two\n");
    gitIn(branch, "commit", "--quiet", "--all", "--message", "two");
    expect(gitIn(branch, "log", "--format=%an %s")).toBe(
      'Ada "the first" \\ Lovelace two\nAda "the first" \\ Lovelace one\n',
    );
    gitIn(branch, "gc", "--quiet", "--prune=now");
    gitIn(branch, "checkout", "--quiet", "other");
    expect(gitIn(branch, "for-each-ref", "--format=%(refname)")).toBe(
      "refs/heads/experiment/one\nrefs/heads/main\nrefs/heads/other\n",
    );
    expect(gitIn(branch, "fsck")).toBe("");
    expect(contents()).toBe(before);
    expect(git("worktree", "list").trim().split("\n")).toHaveLength(1);
  });

  it("stands where the snapshot stood, wherever the origin has gone since", async () => {
    const first = git("rev-parse", "HEAD").trim();
    const { id } = await store.capture(directory);
    git("checkout", "--quiet", "--detach");
    const detached = await store.capture(directory);
    git("checkout", "--quiet", "main");
    write("a", "two\n");
    commit("two");
    git("checkout", "--quiet", "-b", "side/deep");
    git("pack-refs", "--all");
    expect(await store.materialise(id, branch)).toEqual({ git: "restored" });
    expect(gitIn(branch, "status", "--short", "--branch")).toBe("## main\n");
    expect(gitIn(branch, "rev-parse", "HEAD").trim()).toBe(first);
    expect(gitIn(branch, "log", "--format=%s", "side/deep")).toBe("two\none\n");
    const headless = join(root, "detached");
    await store.materialise(detached.id, headless);
    expect(gitIn(headless, "status", "--short", "--branch")).toBe("## HEAD (no branch)\n");
  });

  it("has its staged content, though the origin has collected it", async () => {
    write("a", "only staged\n");
    git("add", "a");
    write("a", "later\n");
    const { id } = await store.capture(directory);
    git("reset", "--quiet", "--hard");
    git("gc", "--quiet", "--prune=now");
    await store.materialise(id, branch);
    expect(gitIn(branch, "show", ":a")).toBe("only staged\n");
    expect((await store.capture(branch)).id).toBe(id);
  });

  it("is files alone where the commit is gone, or where the origin is no repository", async () => {
    const { id } = await store.capture(directory);
    git("checkout", "--quiet", "--orphan", "fresh");
    commit("fresh");
    git("branch", "--delete", "--force", "main");
    git("reflog", "expire", "--expire=now", "--all");
    git("gc", "--quiet", "--prune=now");
    write("a", "changed\n");
    expect(await store.materialise(id, branch)).toEqual({ git: "absent" });
    expect(existsSync(join(branch, ".git"))).toBe(false);
    expect(readFileSync(join(branch, "a"), "utf8")).toBe("one\n");
    rmSync(join(directory, ".git"), { recursive: true });
    expect(await store.materialise(id, join(root, "second"))).toEqual({ git: "absent" });
  });

  it("can be made of a branch's own snapshot, from that branch", async () => {
    const { id } = await store.capture(directory);
    await store.materialise(id, branch);
    writeFileSync(join(branch, "a"), "two\n");
    gitIn(branch, "commit", "--quiet", "--all", "--message", "two");
    const second = await store.capture(branch);
    expect(await store.materialise(second.id, join(root, "from-workspace"))).toEqual({ git: "absent" });
    const grandchild = join(root, "grandchild");
    expect(await store.materialise(second.id, grandchild, { origin: branch })).toEqual({ git: "restored" });
    expect(gitIn(grandchild, "log", "--format=%s")).toBe("two\none\n");
    expect((await store.capture(grandchild)).id).toBe(second.id);
  });

  it("needs no file read again by the first git status", async () => {
    execFileSync("find", [".", "-name", ".git", "-prune", "-o", "-exec", "touch", "-d", "2020-01-01", "{}", "+"], {
      cwd: directory,
    });
    const { id } = await store.capture(directory);
    await store.materialise(id, branch);
    const entries = gitIn(branch, "ls-files", "--debug");
    expect(entries).not.toContain("mtime: 0:0");
    expect(gitIn(branch, "diff-files")).toBe("");
  });

  it("carries ignored folders over where it is told to, as copies", async () => {
    write("node_modules/pkg/index.js", "original\n");
    symlinkSync("pkg/index.js", join(directory, "node_modules/link"));
    execFileSync("mkfifo", [join(directory, "node_modules/pipe")]);
    const { id } = await store.capture(directory);
    await store.materialise(id, branch, { carry: ["node_modules/", "target"] });
    writeFileSync(join(branch, "node_modules/pkg/index.js"), "changed\n");
    expect(readFileSync(join(directory, "node_modules/pkg/index.js"), "utf8")).toBe("original\n");
    expect(readFileSync(join(branch, "node_modules/link"), "utf8")).toBe("changed\n");
    expect(existsSync(join(branch, "node_modules/pipe"))).toBe(false);
    expect((await store.capture(branch)).id).toBe(id);
    for (const path of ["../elsewhere", ".git/hooks", "/etc", ""]) {
      await expect(store.materialise(id, join(root, "no"), { carry: [path] })).rejects.toMatchObject({ kind: "usage" });
      rmSync(join(root, "no"), { recursive: true });
    }
  });
});

/** Everything in the origin's `.git`: names, modes, times and content. */
function fingerprint(): string {
  const times = "find .git -printf '%p %s %m %T@ %C@\\n' | sort";
  return contents() + execFileSync("sh", ["-c", times], { cwd: directory, encoding: "utf8" });
}

/** The same without times, for git renews those of an object that it would otherwise write again. */
function contents(): string {
  const look = "find .git -type f -exec sha256sum {} + | sort; find .git -printf '%p %m\\n' | sort";
  return execFileSync("sh", ["-c", look], { cwd: directory, encoding: "utf8" });
}

function write(path: string, text: string): void {
  mkdirSync(join(directory, path, ".."), { recursive: true });
  writeFileSync(join(directory, path), text);
}

function git(...args: string[]): string {
  return gitIn(directory, ...args);
}

function gitIn(cwd: string, ...args: string[]): string {
  return execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

function commit(message: string): void {
  git("add", "--all");
  git("commit", "--quiet", "--message", message);
}
