import { execFileSync } from "node:child_process";
import {
  chmodSync,
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
import { join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createGitSnapshotStore } from "../git-snapshot-store.ts";
import { findLeftOutGit } from "./git-state.ts";
import { findUserRepository, coreWorkTree } from "../../git/index.ts";

let root: string;
let outer: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skein-work-trees-")));
  outer = join(root, "outer");
  makeRepository(join(root, "library"));
  makeRepository(outer);
});

afterEach(() => rmSync(root, { recursive: true, force: true, maxRetries: 9 }));

describe("a submodule", () => {
  it.each(["sub", "deep/er/sub", 'odd "name" # ; \\ ü'])(
    "has its own HEAD, branch and index put back: %s",
    async (name) => {
      const directory = addSubmodule(name);
      git(directory, "checkout", "--quiet", "-b", "topic");
      writeFileSync(join(directory, "a"), "staged\n");
      git(directory, "add", "a");
      const [before, outerBefore] = [stateOf(directory), stateOf(outer)];
      await using store = await createGitSnapshotStore({ workspace: directory, home: join(root, "home") });
      const { id, git: told } = await store.capture(directory);
      expect(told).toMatchObject({ branch: "refs/heads/topic", detached: false });
      expect(findLeftOutGit(directory)).toBeUndefined();
      commit(directory, "two");
      const two = git(directory, "rev-parse", "HEAD").trim();
      git(directory, "checkout", "--quiet", "--detach");
      expect((await store.restore(id, directory)).git).toBe("restored");
      expect(stateOf(directory)).toEqual(before);
      expect(git(directory, "rev-parse", `refs/skein/kept/${two}`).trim()).toBe(two);
      expect(readFileSync(join(directory, ".git"), "utf8")).toMatch(/^gitdir: /u);
      expect(stateOf(outer)).toEqual(outerBefore);
      // A directory of the state has a repository of its own, in which the same is so.
      expect(await store.materialise(id, join(root, "made"))).toEqual({ git: "restored" });
      expect(git(join(root, "made"), "status", "--short", "--branch")).toBe(
        git(directory, "status", "--short", "--branch"),
      );
    },
  );

  it("runs none of the programs that its settings or hooks name", async () => {
    const directory = addSubmodule("sub");
    const marker = join(root, "marker");
    const script = join(root, "run.sh");
    writeFileSync(script, `#!/bin/sh\necho "$0" >> ${marker}\ncat\n`);
    chmodSync(script, 0o755);
    const modules = join(outer, ".git/modules/sub");
    mkdirSync(join(modules, "hooks"), { recursive: true });
    for (const hook of ["post-checkout", "post-index-change", "reference-transaction"])
      symlinkSync(script, join(modules, "hooks", hook));
    for (const name of ["core.fsmonitor", "core.sshCommand", "filter.evil.clean", "filter.evil.smudge", "core.pager"])
      execFileSync("git", ["config", "--file", join(modules, "config"), name, script]);
    writeFileSync(join(directory, ".gitattributes"), "* filter=evil\n");
    await using store = await createGitSnapshotStore({ workspace: directory, home: join(root, "home") });
    const { id, git: told } = await store.capture(directory);
    expect(told).toMatchObject({ detached: false });
    writeFileSync(join(modules, "HEAD"), "ref: refs/heads/other\n");
    rmSync(join(modules, "index"));
    expect((await store.restore(id, directory)).git).toBe("restored");
    await store.materialise(id, join(root, "made"));
    expect(existsSync(marker)).toBe(false);
  });

  it("is none where the folder that .git names does not name this one, or is not whole", () => {
    const directory = addSubmodule("sub");
    const modules = join(outer, ".git/modules/sub");
    expect(findUserRepository(directory)).toEqual({ gitDirectory: modules, commonDirectory: modules });
    const thief = join(root, "thief");
    mkdirSync(thief);
    for (const victim of [modules, join(outer, ".git"), join(root, "library/.git")]) {
      writeFileSync(join(thief, ".git"), `gitdir: ${victim}\n`);
      expect(findUserRepository(thief)).toBeUndefined();
      expect(findLeftOutGit(thief)).toEqual({ reason: "unsupported", repository: thief });
    }
    rmSync(join(modules, "refs"), { recursive: true });
    symlinkSync(join(root, "library/.git/refs"), join(modules, "refs"));
    expect(findUserRepository(directory)).toBeUndefined();
  });
});

it("reads a work tree's folder from settings as git writes it, and nothing else", () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ["[core]\n\tbare = false\n\tworktree = ../../../sub\n", "../../../sub"],
    ['[core]\n\tworktree = "../a # \\"b\\" \\\\c"\n', '../a # "b" \\c'],
    ["[core]\n\tworktree = one\n[user]\n\tname = A\n[core]\n\tworktree = two\n", "two"],
    ['[core "x"]\n\tworktree = no\n', undefined],
    ["[user]\n\tworktree = no\n", undefined],
    ["[core]\n\tworktree = a # b\n", undefined],
    ["[core]\n\tworktree = a \\\n b\n", undefined],
    ["[core]\n\tworktree =\n", undefined],
    ["", undefined],
  ];
  for (const [config, path] of cases) expect([config, coreWorkTree(config)]).toEqual([config, path]);
});

describe("a linked work tree", () => {
  it("is found where both sides name each other by relative paths, as newer gits write them", () => {
    const linked = addWorkTree("side");
    const place = join(outer, ".git/worktrees/side");
    writeFileSync(join(linked, ".git"), `gitdir: ${relative(linked, place)}\n`);
    writeFileSync(join(place, "gitdir"), `${relative(place, join(linked, ".git"))}\n`);
    expect(findUserRepository(linked)).toEqual({ gitDirectory: place, commonDirectory: join(outer, ".git") });
  });

  it("does not have its branch moved from under it by a restore elsewhere, unless it is gone", async () => {
    await using store = await createGitSnapshotStore({ workspace: outer, home: join(root, "home") });
    const { id } = await store.capture(outer);
    writeFileSync(join(outer, "a"), "two\n");
    commit(outer, "two");
    git(outer, "checkout", "--quiet", "-b", "other");
    const linked = addWorkTree("side", "main");
    const [here, there] = [stateOf(outer), stateOf(linked)];
    await expect(store.restore(id, outer)).rejects.toMatchObject({ kind: "filesystem", target: "refs/heads/main" });
    expect([stateOf(outer), stateOf(linked)]).toEqual([here, there]);
    rmSync(linked, { recursive: true });
    expect((await store.restore(id, outer)).git).toBe("restored");
    expect(git(outer, "log", "--format=%s")).toBe("one\n");
  });
});

describe("a repository that no state holds", () => {
  it("is told where the workspace is a folder of it, and is left as it is", async () => {
    const directory = join(outer, "packages/app");
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, "b"), "one\n");
    commit(outer, "app");
    expect(findLeftOutGit(directory)).toEqual({ reason: "subdirectory", repository: outer });
    await using store = await createGitSnapshotStore({ workspace: directory, home: join(root, "home") });
    const first = await store.capture(directory);
    expect(first.git).toBeUndefined();
    writeFileSync(join(directory, "b"), "two\n");
    commit(outer, "two");
    const head = git(outer, "rev-parse", "HEAD");
    expect((await store.restore(first.id, directory)).git).toBe("absent");
    expect(git(outer, "rev-parse", "HEAD")).toBe(head);
    expect(git(outer, "status", "--short")).toBe(" M packages/app/b\n");
  });

  it("is told for a folder of a submodule or of a linked work tree, and not outside of any", () => {
    const inSubmodule = join(addSubmodule("sub"), "deep");
    const inLinked = join(addWorkTree("side"), "deep");
    for (const path of [inSubmodule, inLinked]) {
      mkdirSync(path);
      expect(findLeftOutGit(path)).toEqual({ reason: "subdirectory", repository: join(path, "..") });
    }
    mkdirSync(join(root, "alone/.git"), { recursive: true });
    mkdirSync(join(root, "alone/folder"));
    expect(findLeftOutGit(join(root, "alone/folder"))).toBeUndefined();
  });

  it("is told where its refs or ids are of a kind that is not read, or .git is a link", () => {
    const sha256 = join(root, "sha256");
    git(root, "init", "--quiet", "--object-format=sha256", sha256);
    writeFileSync(join(sha256, "a"), "one\n");
    commit(sha256, "one");
    const linked = join(root, "linked");
    mkdirSync(linked);
    symlinkSync(join(outer, ".git"), join(linked, ".git"));
    for (const path of [sha256, linked])
      expect(findLeftOutGit(path)).toEqual({ reason: "unsupported", repository: path });
    expect(findLeftOutGit(outer)).toBeUndefined();
  });

  it("is missing, not absent, where a state held it and it was removed since", async () => {
    await using store = await createGitSnapshotStore({ workspace: outer, home: join(root, "home") });
    const { id } = await store.capture(outer);
    rmSync(join(outer, ".git"), { recursive: true });
    writeFileSync(join(outer, "a"), "two\n");
    expect((await store.restore(id, outer, { dryRun: true })).git).toBe("missing");
    expect((await store.restore(id, outer)).git).toBe("missing");
    expect(readFileSync(join(outer, "a"), "utf8")).toBe("one\n");
  });
});

function makeRepository(directory: string): void {
  git(root, "init", "--quiet", "--initial-branch=main", directory);
  writeFileSync(join(directory, "a"), "one\n");
  commit(directory, "one");
}

function addSubmodule(name: string): string {
  git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", join(root, "library"), name);
  return join(outer, name);
}

function addWorkTree(name: string, branch?: string): string {
  const path = join(root, name);
  git(outer, "worktree", "add", "--quiet", ...(branch === undefined ? ["-b", name, path] : [path, branch]));
  return path;
}

function stateOf(directory: string): readonly string[] {
  const asked = [
    ["symbolic-ref", "-q", "HEAD"],
    ["for-each-ref", "refs/heads"],
    ["status", "--porcelain=v2"],
    ["ls-files", "--stage"],
  ];
  return asked.map((args) => git(directory, ...args));
}

function commit(directory: string, message: string): void {
  git(directory, "add", "--all");
  git(directory, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "--message", message);
}

function git(directory: string, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: directory, encoding: "utf8" });
}
