import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createGitSnapshotStore } from "../git-snapshot-store.ts";
import type { SnapshotStore } from "../snapshot-store.ts";

let root: string;
let directory: string;
let store: SnapshotStore;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "skein-index-"));
  directory = join(root, "workspace");
  mkdirSync(directory);
  store = await createGitSnapshotStore({ workspace: directory, home: join(root, "home") });
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", "Ada");
  git("config", "user.email", "ada@localhost");
  for (const path of ["a", "b", "deep/c", "deep/er/d", "other/e"]) write(path, `${path}\n`);
  commit("one");
});

afterEach(async () => {
  await store.close();
  rmSync(root, { recursive: true, force: true });
});

describe("what is staged", () => {
  it("is put back with every flag: intent to add, skip-worktree, assume-unchanged", async () => {
    write("new", "new\n");
    write("empty", "");
    write(`${"long/".repeat(60)}name`, "long\n");
    git("add", "--intent-to-add", "new");
    git("add", "empty", "long");
    git("update-index", "--skip-worktree", "a");
    git("update-index", "--assume-unchanged", "b");
    const before = index();
    expect(before).toContain("flags: 20004000");
    const { id } = await store.capture(directory);
    git("reset", "--quiet", "--hard");
    await store.restore(id, directory);
    expect(index()).toBe(before);
    expect(git("status", "--short")).toBe(`A  empty\nA  ${"long/".repeat(60)}name\n A new\n`);
    expect((await store.capture(directory)).id).toBe(id);
  });

  it("is put back in the middle of a merge that failed, and the merge can be finished", async () => {
    conflict();
    const before = [index(), git("status"), readFileSync(join(directory, ".git/MERGE_MSG"), "utf8")];
    const { id, git: told } = await store.capture(directory);
    expect(Object.keys(told?.unfinished ?? {})).toEqual(["MERGE_HEAD", "MERGE_MODE", "MERGE_MSG"]);
    write("a", "solved\n");
    commit("merged");
    await store.restore(id, directory);
    expect([index(), git("status"), readFileSync(join(directory, ".git/MERGE_MSG"), "utf8")]).toEqual(before);
    const branch = join(root, "branch");
    expect(await store.materialise(id, branch)).toEqual({ git: "restored" });
    expect((await store.capture(branch)).id).toBe(id);
    for (const place of [directory, branch]) {
      writeFileSync(join(place, "a"), "solved again\n");
      execFileSync("git", ["commit", "--quiet", "--all", "--no-edit"], { cwd: place });
      expect(execFileSync("git", ["log", "-1", "--format=%s %p"], { cwd: place, encoding: "utf8" })).toMatch(
        /^Merge branch 'side' [0-9a-f]+ [0-9a-f]+\n$/,
      );
    }
  });

  it("is rid of a merge or a rebase that was begun since, and an undo brings that back", async () => {
    const { id } = await store.capture(directory);
    conflict();
    const merging = git("status");
    const { undo } = await store.restore(id, directory);
    expect(git("status", "--short", "--branch")).toBe("## main\n");
    expect(existsSync(join(directory, ".git/MERGE_HEAD"))).toBe(false);
    await store.restore(undo, directory);
    expect(git("status")).toBe(merging);
    git("merge", "--abort");
    spawnSync("git", ["rebase", "side"], { cwd: directory });
    const rebasing = git("status");
    expect(rebasing).toContain("rebase in progress");
    const second = await store.restore(id, directory);
    expect(git("status")).toBe("On branch main\nnothing to commit, working tree clean\n");
    await store.restore(second.undo, directory);
    expect(git("status")).toBe(rebasing);
    git("rebase", "--abort");
  });

  it("is read from a split index, and put back as a plain one", async () => {
    git("config", "core.splitIndex", "true");
    write("b", "staged\n");
    git("add", "b");
    git("rm", "--quiet", "--cached", "deep/c");
    const before = git("ls-files", "--stage");
    expect(before).not.toContain("deep/c");
    const { id, git: told } = await store.capture(directory);
    expect(told).toHaveProperty("indexId");
    git("reset", "--quiet", "--hard");
    await store.restore(id, directory);
    expect(git("ls-files", "--stage")).toBe(before);
  });

  it("is read whole from a sparse index, and put back", async () => {
    git("sparse-checkout", "init", "--cone", "--sparse-index");
    git("sparse-checkout", "set", "other");
    expect(git("ls-files", "--stage", "--sparse")).toContain("040000");
    write("a", "staged\n");
    git("add", "a");
    const before = git("ls-files", "--stage", "-v");
    const { id } = await store.capture(directory);
    git("reset", "--quiet", "--hard");
    await store.restore(id, directory);
    expect(git("ls-files", "--stage", "-v")).toBe(before);
    expect(git("status", "--short")).toBe("M  a\n");
    expect(existsSync(join(directory, "deep"))).toBe(false);
  });

  it("comes back after the repository has collected it", async () => {
    write("a", "only ever staged\n");
    git("add", "a");
    write("a", "later\n");
    const { id } = await store.capture(directory);
    const again = await store.capture(directory);
    expect(again.id).toBe(id);
    git("reset", "--quiet", "--hard");
    git("gc", "--quiet", "--prune=now");
    await store.restore(id, directory);
    expect(git("show", ":a")).toBe("only ever staged\n");
    expect(readFileSync(join(directory, "a"), "utf8")).toBe("later\n");
    expect(git("fsck")).not.toContain("missing");
    expect(await store.verify()).toEqual([]);
    await using fresh = await createGitSnapshotStore({ workspace: directory, home: join(root, "another-home") });
    expect((await fresh.capture(directory)).id).toBe(id);
  });

  it("comes back where much was staged and nothing ever committed", async () => {
    git("checkout", "--quiet", "--orphan", "unborn");
    for (let number = 0; number < 150; number += 1) write(`many/${number}`, `${number}\n`);
    git("add", "--all");
    for (let number = 0; number < 150; number += 1) write(`many/${number}`, "changed\n");
    const before = index();
    const { id } = await store.capture(directory);
    git("read-tree", "--empty");
    git("gc", "--quiet", "--prune=now");
    await store.restore(id, directory);
    expect(git("show", ":many/149")).toBe("149\n");
    expect(index()).toBe(before);
  });
});

describe("a repository of another kind", () => {
  it("is passed over where its ids are longer", async () => {
    rmSync(join(directory, ".git"), { recursive: true });
    git("init", "--quiet", "--object-format=sha256");
    git("config", "user.name", "Ada");
    git("config", "user.email", "ada@localhost");
    commit("one");
    expect(await store.capture(directory)).not.toHaveProperty("git");
    git("pack-refs", "--all");
    expect(await store.capture(directory)).not.toHaveProperty("git");
  });

  it("is passed over where its refs are kept in tables", async () => {
    writeFileSync(join(directory, ".git/HEAD"), "ref: refs/heads/.invalid\n");
    const { id, ...rest } = await store.capture(directory);
    expect(rest).toEqual({ leftOut: [], moved: [] });
    write("a", "changed\n");
    expect((await store.restore(id, directory)).git).toBe("absent");
    expect(await store.materialise(id, join(root, "branch"))).toEqual({ git: "absent" });
  });

  it("is found with a branch whose name is not ASCII, packed or not", async () => {
    git("checkout", "--quiet", "-b", "größe");
    const head = git("rev-parse", "HEAD").trim();
    expect((await store.capture(directory)).git).toMatchObject({ branch: "refs/heads/größe", head });
    git("pack-refs", "--all");
    const { id, git: told } = await store.capture(directory);
    expect(told).toMatchObject({ branch: "refs/heads/größe", head });
    await store.materialise(id, join(root, "branch"));
    expect((await store.capture(join(root, "branch"))).id).toBe(id);
  });
});

describe("a patch", () => {
  it("is given for one path that is not UTF-8, and applies", async () => {
    const name = Buffer.concat([Buffer.from("deep/caf"), Buffer.from([0xe9])]);
    const path = Buffer.concat([Buffer.from(`${directory}/`), name]);
    const twin = Buffer.concat([Buffer.from(`${directory}/deep/caf`), Buffer.from([0xe8])]);
    writeFileSync(path, "one\n");
    writeFileSync(twin, "one\n");
    const from = await store.capture(directory);
    writeFileSync(path, "two\n");
    writeFileSync(twin, "two\n");
    const to = await store.capture(directory);
    const patch = await store.patch(from.id, to.id, name);
    expect(patch.split("\n").slice(0, 1)).toEqual(['diff --git "a/deep/caf\\351" "b/deep/caf\\351"']);
    expect(patch).not.toContain("350");
    await store.restore(from.id, directory);
    execFileSync("git", ["apply"], { cwd: directory, input: patch });
    expect([readFileSync(path, "utf8"), readFileSync(twin, "utf8")]).toEqual(["two\n", "one\n"]);
    expect(await store.patch(from.id, to.id)).toContain("caf\\350");
  });
});

/** Every entry of the index with its flags, but without what a look at the file says. */
function index(): string {
  const stripped = git("ls-files", "--stage", "-v", "--debug").replaceAll(/ {2}(?:ctime|mtime|dev|uid)[^\n]*\n/g, "");
  return stripped.replaceAll(/size: \d+/g, "");
}

function conflict(): void {
  git("checkout", "--quiet", "-B", "side");
  write("a", "theirs\n");
  commit("theirs");
  git("checkout", "--quiet", "main");
  write("a", "ours\n");
  commit("ours");
  expect(spawnSync("git", ["merge", "side"], { cwd: directory }).status).toBe(1);
}

function write(path: string, text: string): void {
  mkdirSync(join(directory, path, ".."), { recursive: true });
  writeFileSync(join(directory, path), text);
}

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: directory, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

function commit(message: string): void {
  git("add", "--all");
  git("commit", "--quiet", "--message", message);
}
