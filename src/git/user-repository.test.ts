import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createGitSnapshotStore, type SnapshotStore } from "../snapshot/index.ts";

let root: string;
let directory: string;
let store: SnapshotStore;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "skein-user-repository-"));
  directory = join(root, "workspace");
  mkdirSync(directory);
  store = await createGitSnapshotStore({ workspace: directory, home: join(root, "home") });
  git("init", "--quiet", "--initial-branch=main");
  writeFileSync(join(directory, ".gitignore"), "node_modules\n.env\n");
  writeFileSync(join(directory, "a"), "one\n");
  commit("one");
});

afterEach(async () => {
  await store.close();
  rmSync(root, { recursive: true, force: true });
});

describe("the user's repository", () => {
  it("is put back where it stood: branch, commit, staged and unstaged changes", async () => {
    writeFileSync(join(directory, "a"), "staged\n");
    git("add", "a");
    writeFileSync(join(directory, "a"), "not staged\n");
    const before = state();
    const { id } = await store.capture(directory);
    commit("two");
    const two = git("rev-parse", "HEAD").trim();
    git("checkout", "--quiet", "-b", "other");
    writeFileSync(join(directory, "b"), "b\n");
    commit("three");
    const { git: told, undo } = await store.restore(id, directory);
    expect(told).toBe("restored");
    expect(git("--no-optional-locks", "ls-files", "--debug", ".gitignore")).not.toContain("mtime: 0:0");
    expect(state()).toEqual(before);
    expect(git("log", "--format=%s", "other")).toBe("three\ntwo\none\n");
    expect(git("rev-parse", `refs/skein/kept/${two}`).trim()).toBe(two);
    await store.restore(undo, directory);
    expect(git("log", "--format=%s", "-1")).toBe("three\n");
    expect(git("status", "--short", "--branch")).toBe("## other\n");
  });

  it("is put back to a detached head, and to a branch without commits", async () => {
    git("checkout", "--quiet", "--detach");
    const detached = state();
    const first = await store.capture(directory);
    expect(first.git).toMatchObject({ detached: true });
    git("checkout", "--quiet", "--orphan", "unborn");
    const unborn = state();
    const second = await store.capture(directory);
    commit("born");
    await store.restore(second.id, directory);
    expect(state()).toEqual(unborn);
    await store.restore(first.id, directory);
    expect(state()).toEqual(detached);
  });

  it("is not touched by a capture", async () => {
    const look = (): string =>
      execFileSync("find", [".git", "-printf", "%p %s %m %T@\n"], { cwd: directory, encoding: "utf8" });
    const before = look();
    await store.capture(directory);
    expect(look()).toBe(before);
  });

  it("may be collected: its snapshots stay whole", async () => {
    for (let index = 0; index < 30; index += 1)
      writeFileSync(join(directory, `file-${index}`), `${index}\n`.repeat(99));
    commit("many");
    git("repack", "-adq");
    const { id } = await store.capture(directory);
    git("checkout", "--quiet", "--orphan", "fresh");
    git("rm", "-rfq", ".");
    writeFileSync(join(directory, "new"), "new\n");
    commit("fresh");
    git("branch", "-D", "main");
    git("reflog", "expire", "--expire=now", "--all");
    git("gc", "--quiet", "--prune=now");
    expect(await store.verify()).toEqual([]);
    await store.materialise(id, join(root, "elsewhere"));
    expect(readFileSync(join(root, "elsewhere/file-7"), "utf8")).toBe("7\n".repeat(99));
    await expect(store.restore(id, directory)).rejects.toMatchObject({ kind: "filesystem" });
  });

  it("seeds the first snapshot with the same ids as reading every file", async () => {
    writeFileSync(join(directory, ".gitattributes"), "*.crlf text eol=crlf\n");
    writeFileSync(join(directory, "x.crlf"), "one\r\ntwo\r\n");
    mkdirSync(join(directory, "deep/er"), { recursive: true });
    writeFileSync(join(directory, "deep/er/file"), "deep\n");
    execFileSync("find", [".", "-name", ".git", "-prune", "-o", "-exec", "touch", "-d", "2020-01-01", "{}", "+"], {
      cwd: directory,
    });
    commit("attributes");
    const seeded = await store.capture(directory);
    await using other = await createGitSnapshotStore({ workspace: directory, home: join(root, "other-home") });
    mkdirSync(join(directory, ".git/info"), { recursive: true });
    writeFileSync(join(directory, ".git/info/attributes"), "# where there are such, nothing is seeded\n");
    expect((await other.capture(directory)).id).toBe(seeded.id);
    expect((await store.read(seeded.id, "x.crlf")).toString()).toBe("one\r\ntwo\r\n");
    expect(await store.verify()).toEqual([]);
  });

  it("has its tracked files captured, ignored as they may be, and its other ignored files left alone", async () => {
    mkdirSync(join(directory, "node_modules"));
    writeFileSync(join(directory, "node_modules/patched.js"), "patched\n");
    writeFileSync(join(directory, "node_modules/other.js"), "other\n");
    git("add", "--force", "node_modules/patched.js");
    const { id } = await store.capture(directory);
    writeFileSync(join(directory, "node_modules/patched.js"), "spoilt\n");
    writeFileSync(join(directory, "node_modules/other.js"), "changed\n");
    git("add", "--force", "node_modules/other.js");
    await store.restore(id, directory);
    expect(readFileSync(join(directory, "node_modules/patched.js"), "utf8")).toBe("patched\n");
    expect(readFileSync(join(directory, "node_modules/other.js"), "utf8")).toBe("changed\n");
  });

  it("is found in a linked work tree, and its index is put back there", async () => {
    const linked = join(root, "linked");
    git("worktree", "add", "--quiet", "-b", "side", linked);
    const { id, git: told } = await store.capture(linked);
    expect(told).toMatchObject({ branch: "refs/heads/side", detached: false });
    writeFileSync(join(linked, "a"), "changed\n");
    execFileSync("git", ["add", "a"], { cwd: linked });
    await store.restore(id, linked);
    expect(execFileSync("git", ["status", "--short"], { cwd: linked, encoding: "utf8" })).toBe("");
  });
});

function state(): readonly string[] {
  const head = readFileSync(join(directory, ".git/HEAD"), "utf8");
  return [
    head,
    git("for-each-ref", "refs/heads/main"),
    git("status", "--porcelain=v2"),
    git("ls-files", "--stage"),
    git("diff"),
  ];
}

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: directory, encoding: "utf8" });
}

function commit(message: string): void {
  git("add", "--all");
  git("-c", "user.name=Ada", "-c", "user.email=ada@localhost", "commit", "--quiet", "--message", message);
}
