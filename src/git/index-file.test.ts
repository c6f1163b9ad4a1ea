import { execFileSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { indexFingerprint, mayHaveForgedEntries, readIndexLooks } from "./index-file.ts";

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "skein-fingerprint-"));
  git("init", "--quiet");
  for (const name of ["a", "b", "long".repeat(50)]) writeFileSync(join(directory, name), name);
  git("add", "--all");
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

it("stays the same when git only looked at the files again", () => {
  const before = fingerprint();
  utimesSync(join(directory, "a"), 1_000_000, 1_000_000);
  const bytes = readFileSync(join(directory, ".git/index"));
  git("status");
  expect(readFileSync(join(directory, ".git/index")).equals(bytes)).toBe(false);
  expect(before).toMatch(/^[0-9a-f]{40}$/);
  expect(fingerprint()).toBe(before);
});

it("changes with a content, a mode, a name and a flag", () => {
  const seen = [fingerprint()];
  appendFileSync(join(directory, "a"), "more");
  for (const args of [
    ["add", "a"],
    ["update-index", "--chmod=+x", "b"],
    ["mv", "b", "c"],
    ["update-index", "--assume-unchanged", "a"],
    ["update-index", "--skip-worktree", "c"],
    ["update-index", "--force-remove", "c"],
  ]) {
    git(...args);
    seen.push(fingerprint());
  }
  expect(new Set(seen).size).toBe(7);
  expect(seen).not.toContain(undefined);
});

it("is not given for an index that another file completes, that is written in another way, or that is cut off", () => {
  expect(indexFingerprint(readFileSync(join(directory, ".git/index")).subarray(0, 150))).toBeUndefined();
  expect(indexFingerprint(Buffer.alloc(0))).toBeUndefined();
  git("update-index", "--index-version", "4");
  expect(fingerprint()).toBeUndefined();
  git("update-index", "--index-version", "2");
  git("update-index", "--split-index");
  expect(fingerprint()).toBeUndefined();
});

it("is taken for one that may be forged where a path is too long, is git's own, or has characters that are passed over", () => {
  const line = (path: string, mode = "100644"): string => `H ${mode} ${"a".repeat(40)} 0\t${path}\0`;
  const may = (...lines: string[]): boolean => mayHaveForgedEntries(Buffer.from(lines.join(""), "latin1"));
  expect(may(line("a/b.c"), line("a/.gitignore"), line("x".repeat(4000)))).toBe(false);
  for (const path of ["a/.GIT/config", "a/../b", "a//b", ".git", "a/.g\xe2\x80\x8cit", "x".repeat(4096)]) {
    expect(may(line("a"), line(path), line("z"))).toBe(true);
  }
  expect(may(line("a"), line("b", "040000"))).toBe(true);
  expect(may(line("a"), "x".repeat(5000))).toBe(true);
});

it("tells how its files looked to git, to who knows their paths", () => {
  git("status");
  const index = readFileSync(join(directory, ".git/index"));
  const paths = ["a", "b", "long".repeat(50)];
  const sizes = readIndexLooks(index, paths)?.map((look) => look.at(-1));
  expect(sizes).toEqual([1, 1, 200]);
  for (const others of [
    ["a", "b"],
    ["a", "c", paths[2] ?? ""],
    [...paths, "d"],
  ]) {
    expect(readIndexLooks(index, others)).toBeUndefined();
  }
  expect(readIndexLooks(index.subarray(0, 150), paths)).toBeUndefined();
});

function fingerprint(): string | undefined {
  return indexFingerprint(readFileSync(join(directory, ".git/index")));
}

function git(...args: string[]): void {
  execFileSync("git", args, { cwd: directory, stdio: "ignore" });
}
