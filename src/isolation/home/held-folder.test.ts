import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { identify } from "../../core/internal.ts";
import { createHeldFolder, sweepHeldFolders } from "./held-folder.ts";

let parent: string;

beforeEach(async () => {
  parent = await realpath(await mkdtemp(join(tmpdir(), "skein-held-")));
});

afterEach(async () => {
  await rm(parent, { recursive: true, force: true });
});

test("a folder is there as long as it is held", async () => {
  const folder = await createHeldFolder("home", parent);
  expect(await sweepHeldFolders("home", parent)).toEqual([]);
  expect(await readdir(parent)).toEqual([basename(folder.path)]);
  await folder[Symbol.asyncDispose]();
  expect(await readdir(parent)).toEqual([]);
});

test("the folder of a process that was killed is removed by the next who makes one", async () => {
  const holder = spawn("sleep", ["1000"]);
  await once(holder, "spawn");
  const abandoned = join(parent, `skein-home-${holder.pid}-abc123`);
  await mkdir(join(abandoned, "closed"), { recursive: true });
  await writeFile(join(abandoned, "holder.json"), JSON.stringify(await identify(holder.pid ?? 0)));
  expect(await sweepHeldFolders("home", parent)).toEqual([]);
  holder.kill("SIGKILL");
  await once(holder, "exit");
  await using folder = await createHeldFolder("home", parent);
  expect(await readdir(parent)).toEqual([basename(folder.path)]);
});

test("one that was killed before it could say whose the folder is, is told by its name", async () => {
  const holder = spawn("true");
  await once(holder, "exit");
  await mkdir(join(parent, `skein-home-${holder.pid}-abc123`));
  await mkdir(join(parent, `skein-home-${process.pid}-abc123`));
  await sweepHeldFolders("home", parent);
  expect(await readdir(parent)).toEqual([`skein-home-${process.pid}-abc123`]);
});

test("a link with such a name is left alone, and so is what it leads to", async () => {
  const other = join(parent, "other");
  await mkdir(other);
  await writeFile(join(other, "holder.json"), JSON.stringify({ pid: 1, startTime: "never" }));
  await symlink(other, join(parent, "skein-home-1-linked"));
  expect(await sweepHeldFolders("home", parent)).toEqual([]);
  expect(await readdir(other)).toEqual(["holder.json"]);
});

test("a folder whose name only begins like one is left alone", async () => {
  for (const name of ["skein-home-of-mine", "skein-home-1-abcdefg", "skein-home-1-abc/def"]) {
    await mkdir(join(parent, name), { recursive: true });
  }
  expect(await sweepHeldFolders("home", parent)).toEqual([]);
});
