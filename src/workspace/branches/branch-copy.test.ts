import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openRepository, type Repository } from "../../snapshot/index.ts";
import { beginCopy, sweepHalfCopies, type BegunCopy } from "./branch-copy.ts";

let root: string;
let repository: Repository;

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skein-half-copy-")));
  mkdirSync(join(root, "workspace"));
  repository = await openRepository(join(root, "workspace"), { home: join(root, "home") });
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Begins a copy of two files. */
async function begin(): Promise<BegunCopy> {
  const copy = await beginCopy(repository, join(root, "copy"), "branch-1");
  mkdirSync(copy.half);
  for (const name of ["a", "b"]) writeFileSync(join(copy.half, name), name);
  return copy;
}

/** Has the copy be that of a process that is gone. */
function die(change: Readonly<Record<string, unknown>> = {}): void {
  const path = join(repository.home, "copies/branch-1.json");
  const record = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
  writeFileSync(path, JSON.stringify({ ...record, owner: "nobody", ...change }));
}

it("is not seen until it is whole, and leaves nothing else", async () => {
  const copy = await begin();
  expect(readdirSync(join(root, "copy"))).toEqual([expect.stringMatching(/^\.skein-half-/u)]);
  await sweepHalfCopies(repository);
  await copy.putInPlace();
  expect(readdirSync(join(root, "copy"))).toEqual(["a", "b"]);
  expect(readdirSync(join(repository.home, "copies"))).toEqual([]);
});

it("is taken away with its directory when its process was killed, but not what somebody put there", async () => {
  await begin();
  die();
  await sweepHalfCopies(repository);
  expect(readdirSync(root)).toEqual(["home", "workspace"]);
  await begin();
  writeFileSync(join(root, "copy/mine"), "mine");
  die();
  await sweepHalfCopies(repository);
  expect(readdirSync(join(root, "copy"))).toEqual(["mine"]);
  expect(readdirSync(join(repository.home, "copies"))).toEqual([]);
});

it("is put down before its directory is made, and not at all where that holds something", async () => {
  mkdirSync(join(root, "copy"));
  writeFileSync(join(root, "copy/mine"), "mine");
  await expect(begin()).rejects.toMatchObject({ kind: "usage" });
  expect(readdirSync(repository.home)).not.toContain("copies");
  rmSync(join(root, "copy"), { recursive: true });
  // A directory that cannot be made, as after a kill right before it.
  writeFileSync(join(root, "file"), "");
  await expect(beginCopy(repository, join(root, "file/copy"), "branch-1")).rejects.toMatchObject({
    kind: "filesystem",
  });
  expect(readdirSync(join(repository.home, "copies"))).toEqual([]);
  await begin();
  rmSync(join(root, "copy"), { recursive: true });
  die();
  await sweepHalfCopies(repository);
  expect(readdirSync(join(repository.home, "copies"))).toEqual([]);
});

it("stays an empty directory that was there before", async () => {
  mkdirSync(join(root, "copy"));
  await begin();
  die();
  await sweepHalfCopies(repository);
  expect(readdirSync(join(root, "copy"))).toEqual([]);
});

it("is put in its place by the next process where it was whole", async () => {
  await begin();
  const [half = ""] = readdirSync(join(root, "copy"));
  // One file was moved before the kill.
  writeFileSync(join(root, "copy/a"), "a");
  rmSync(join(root, "copy", half, "a"));
  die({ isWhole: true });
  await sweepHalfCopies(repository);
  expect(readdirSync(join(root, "copy"))).toEqual(["a", "b"]);
});

it("is refused in a directory that holds something", async () => {
  mkdirSync(join(root, "copy"));
  writeFileSync(join(root, "copy/mine"), "mine");
  await expect(beginCopy(repository, join(root, "copy"), "branch-1")).rejects.toMatchObject({ kind: "usage" });
  expect(readdirSync(join(root, "copy"))).toEqual(["mine"]);
});
