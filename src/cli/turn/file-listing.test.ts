import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { compareFiles, listFiles } from "./file-listing.ts";

async function directoryWith(...paths: string[]): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "skein-listing-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  for (const path of paths) {
    await mkdir(join(directory, path, ".."), { recursive: true });
    await writeFile(join(directory, path), "x");
  }
  return directory;
}

it("tells which files came, changed and went, and passes over .git and node_modules", async () => {
  const directory = await directoryWith(
    "kept",
    "a/changed",
    "a/touched",
    "gone",
    ".git/index",
    "node_modules/m/index.js",
  );
  const before = await listFiles(directory);
  await writeFile(join(directory, "a/changed"), "xy");
  await utimes(join(directory, "a/touched"), 1, 1);
  await rm(join(directory, "gone"));
  for (const path of ["b", "a/new", ".git/new", "node_modules/new"]) await writeFile(join(directory, path), "x");
  expect(compareFiles(before, await listFiles(directory))).toEqual({
    created: ["a/new", "b"],
    modified: ["a/changed", "a/touched"],
    deleted: ["gone"],
    renamed: [],
    complete: true,
  });
});

it("says so when there are too many files to tell", async () => {
  const directory = await directoryWith("one", "two", "three");
  const listing = await listFiles(directory, 2);
  expect(listing).toBeUndefined();
  expect(compareFiles(listing, listing)).toEqual({
    created: [],
    modified: [],
    deleted: [],
    renamed: [],
    complete: false,
  });
});

it("is empty for a directory that is not there", async () => {
  expect(await listFiles("/nowhere")).toEqual(new Map());
});
