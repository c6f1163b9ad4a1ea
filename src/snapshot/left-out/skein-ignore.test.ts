import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createGitSnapshotStore } from "../git-snapshot-store.ts";
import { createSkeinIgnore } from "./skein-ignore.ts";

let root: string;
let directory: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skein-ignore-"));
  directory = join(root, "workspace");
  mkdirSync(directory);
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

describe(".skeinignore", () => {
  it("counts in every folder, the deepest last, and has the last word over .gitignore", async () => {
    write(".gitignore", "*.secret\nnode_modules\n!kept.log\n");
    write(".skeinignore", "*.log\n/data/*.bin\n!wanted.secret\n");
    write("data/.skeinignore", "!big.bin\nscratch/\n");
    const files = ["a.log", "kept.log", "a.secret", "wanted.secret", "data/x.bin", "data/big.bin", "data/scratch/file"];
    for (const path of [...files, "data/deep/x.bin", "scratch/file", "node_modules/x"]) write(path, path);
    await using store = await createGitSnapshotStore({ workspace: directory, home: join(root, "home") });
    const first = await store.capture(directory);
    expect(await paths(store, first.id)).toEqual([
      ".gitignore",
      ".skeinignore",
      "data/.skeinignore",
      "data/big.bin",
      "data/deep/x.bin",
      "scratch/file",
      "wanted.secret",
    ]);
    write("data/.skeinignore", "!x.bin\n");
    const second = await store.capture(directory);
    expect((await store.diff(first.id, second.id)).map(({ type, path }) => `${type} ${path}`)).toEqual([
      "modified data/.skeinignore",
      "deleted data/big.bin",
      "created data/scratch/file",
      "created data/x.bin",
    ]);
  });

  it("reads patterns as git does", () => {
    const names = [
      "a",
      "a.b",
      "ab",
      "b",
      "a/b",
      "a/b/c",
      "b/a",
      "x/a/b",
      "a*b",
      "!a",
      "#a",
      "a ",
      "[a]",
      "-",
      "a]b",
      "é",
    ];
    const patterns = [
      ..."a /a a/ a/b /a/b **/b a/** a/**/c **/a/b a* a?b ? [ab] [!a] [^a] [a-c] [!a-c]* a[*]b *.b **.b a**b a/*".split(
        " ",
      ),
      ..."a/**/b **/** ** * /* /** */b */*/c **/ x/**/ b/ [[:alpha:]] [[:punct:]] []] [a]b] [a []-] a\\*b a\\b \\a \\!a".split(
        " ",
      ),
      ..."\\#a #a !a a\\ [\\a] [a\\-c] [/] a[!x]b a[/]b /** /**/b é ?? //a a//b ./a [a-] [-a] x/ a\\".split(" "),
      "a ",
      "a\\ ",
      "*\n!a",
      "a\n!/a/b",
      "/*\n!/a",
      "a/*\n!a/b",
    ];
    let ignored = 0;
    const wrong = patterns.flatMap((pattern) => {
      rmSync(directory, { recursive: true });
      mkdirSync(directory);
      for (const name of names)
        if (!name.startsWith("a/") && !name.startsWith("b/") && !name.startsWith("x/")) touch(name);
      const both = names.filter((name) => name.includes("/"));
      execFileSync("rm", ["-f", "a", "b"], { cwd: directory });
      for (const name of both) if (name !== "a/b") touch(name);
      writeFileSync(join(directory, ".gitignore"), pattern);
      writeFileSync(join(directory, ".skeinignore"), pattern);
      execFileSync("git", ["init", "--quiet", directory]);
      const theirs = byGit(names);
      ignored += theirs.filter(Boolean).length;
      const ours = createSkeinIgnore(directory);
      const answers = names.map((name) => ignoredWithFolders(ours, Buffer.from(name).toString("latin1")));
      return names.flatMap((name, index) =>
        answers[index] === theirs[index] ? [] : [{ pattern, name, git: theirs[index] }],
      );
    });
    expect(wrong).toEqual([]);
    expect(ignored).toBeGreaterThan(200);
  });

  it("is not read through a link, nor waited for where it is a pipe", async () => {
    writeFileSync(join(root, "outside"), "*\n");
    write("one/file", "one");
    write("two/file", "two");
    symlinkSync(join(root, "outside"), join(directory, "one/.skeinignore"));
    execFileSync("mkfifo", [join(directory, "two/.skeinignore")]);
    await using store = await createGitSnapshotStore({ workspace: directory, home: join(root, "home") });
    const { id, leftOut } = await store.capture(directory);
    expect(leftOut.map(({ path }) => path)).toEqual(["two/.skeinignore"]);
    expect(await paths(store, id)).toEqual(["one/.skeinignore", "one/file", "two/file"]);
  });
});

/** A path below a folder that is left out is never asked about. */
function ignoredWithFolders(verdict: ReturnType<typeof createSkeinIgnore>, path: string): boolean {
  const parts = path.split("/");
  return parts.some((_, index) => verdict(parts.slice(0, index + 1).join("/")) === "ignored");
}

function byGit(names: readonly string[]): readonly boolean[] {
  const input = names.map((name) => `./${name}\0`).join("");
  const args = ["check-ignore", "--no-index", "--verbose", "--non-matching", "-z", "--stdin"];
  const fields = spawnSync("git", args, { cwd: directory, input, encoding: "utf8" }).stdout.split("\0");
  return names.map((_, index) => {
    const pattern = fields[index * 4 + 2] ?? "";
    return pattern !== "" && !pattern.startsWith("!");
  });
}

async function paths(
  store: Awaited<ReturnType<typeof createGitSnapshotStore>>,
  id: string,
): Promise<readonly string[]> {
  const empty = join(root, "empty");
  mkdirSync(empty, { recursive: true });
  const nothing = await store.capture(empty);
  return (await store.diff(nothing.id, id)).filter(({ type }) => type === "created").map(({ path }) => path);
}

function touch(path: string): void {
  write(path, path);
}

function write(path: string, text: string): void {
  mkdirSync(join(directory, path, ".."), { recursive: true });
  writeFileSync(join(directory, path), text);
}
