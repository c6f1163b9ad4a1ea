import { execFileSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { indexFingerprint } from "./index-file.ts";

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

function fingerprint(): string | undefined {
  return indexFingerprint(readFileSync(join(directory, ".git/index")));
}

function git(...args: string[]): void {
  execFileSync("git", args, { cwd: directory, stdio: "ignore" });
}
