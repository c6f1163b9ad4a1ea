import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createGitSnapshotStore } from "../git-snapshot-store.ts";
import type { SnapshotStore } from "../snapshot-store.ts";

let root: string;
let directory: string;
let store: SnapshotStore;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "skein-writer-"));
  directory = join(root, "workspace");
  mkdirSync(directory);
  store = await createGitSnapshotStore({ workspace: directory, home: join(root, "home") });
});

afterEach(async () => {
  await store.close();
  rmSync(root, { recursive: true, force: true });
});

it("writes again what another process has collected since it was seen to be there", async () => {
  const first = await capture("one");
  await capture("two");
  git("update-ref", "-d", `refs/skein/snapshots/${first}`);
  git("repack", "-a", "-d", "-q");
  expect(() => git("cat-file", "-e", first)).toThrow();
  expect(await capture("one")).toBe(first);
  expect(await store.verify()).toEqual([]);
  expect((await store.read(first, "file")).toString()).toBe("one");
});

it("makes one pack of a snapshot and a ref to it, and leaves nothing half written", async () => {
  await capture("one");
  const before = packs();
  const second = await capture("two");
  expect(packs().length - before.length).toBe(2);
  expect(packs().filter((name) => !/^pack-[0-9a-f]{40}\.(?:pack|idx)$/u.test(name))).toEqual([]);
  expect(git("rev-parse", `refs/skein/snapshots/${second}^{tree}`).trim()).toBe(second);
});

async function capture(text: string): Promise<string> {
  writeFileSync(join(directory, "file"), text);
  return (await store.capture(directory)).id;
}

function git(...args: string[]): string {
  return execFileSync("git", ["--git-dir", gitDirectory(), ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
}

function gitDirectory(): string {
  const workspaces = join(root, "home/workspaces");
  return join(workspaces, readdirSync(workspaces)[0] ?? "", "store.git");
}

function packs(): readonly string[] {
  return readdirSync(join(gitDirectory(), "objects/pack"));
}
