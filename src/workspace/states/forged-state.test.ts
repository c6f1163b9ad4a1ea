import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { SkeinError } from "../../core/index.ts";
import { objectId, treeContent, type TreeEntry, writePack, type NewObject } from "../../git/index.ts";
import { Workspace } from "../workspace.ts";

let root: string;
let workspace: Workspace;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "skein-forged-"));
  workspace = await Workspace.open(join(root, "workspace"), { home: join(root, "home") });
});

afterEach(async () => {
  await workspace.close();
  await rm(root, { recursive: true, force: true });
});

it.each([
  ["a folder above the workspace", "..", ""],
  ["a hook of the user's repository", ".git", ""],
  ["the same in capitals", ".GIT", ""],
  ["an empty folder elsewhere", "plain", "empty ../elsewhere\0"],
])("a snapshot that somebody made to write into %s is refused, and nothing is changed", async (_, name, meta) => {
  const id = await forge(name, meta);
  await expect(workspace.restore(id)).rejects.toMatchObject({ kind: "policy" });
  await expect(workspace.snapshots.materialise(id, join(root, "made"))).rejects.toMatchObject({ kind: "policy" });
  await expect(workspace.snapshots.diff(id, id)).rejects.toMatchObject({ kind: "policy" });

  expect((await readdir(root)).filter((entry) => entry !== "made")).toEqual(["home", "workspace"]);
  expect(await readdir(workspace.path)).toEqual([]);
});

it.each([
  ["the settings of the user's repository", "rebase-merge/./../config"],
  ["a start-up file of the user's shell", "rebase-merge/x/../../../../home/.bashrc"],
  ["a hook", "sequencer/../hooks/post-checkout"],
])("a snapshot whose unfinished rebase writes %s is refused, and nothing is changed", async (_, name) => {
  const git = (...args: string[]): Buffer => execFileSync("git", args, { cwd: workspace.path, stdio: "pipe" });
  git("init", "--quiet", "--initial-branch=main");
  const before = await listFiles(root);
  const unfinished = { [name]: "touch /tmp/owned\n" };
  const id = await forge("plain", "", { version: 1, branch: "refs/heads/main", detached: false, unfinished });
  const pretended = await workspace.restore(id, { dryRun: true }).catch((error: unknown) => error);
  expect(pretended).toMatchObject({ kind: "policy" });
  await expect(workspace.restore(id)).rejects.toMatchObject({ kind: "policy" });
  await expect(workspace.snapshots.materialise(id, join(root, "made"))).rejects.toMatchObject({ kind: "policy" });

  expect((await listFiles(root)).filter((path) => !path.startsWith("made"))).toEqual(before);
});

it("a snapshot with an index that leads into `.git`, is out of order or has unknown modes is refused", async () => {
  execFileSync("git", ["init", "--quiet", "--initial-branch=main"], { cwd: workspace.path });
  const git = { version: 1, branch: "refs/heads/main", detached: false };
  const oid = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
  const listings = [
    `H 100755 ${oid} 0\t.git/hooks/post-checkout\0`,
    `H 100755 ${oid} 0\t../x\0`,
    `H 100644 ${oid} 0\tb\0H 100644 ${oid} 0\ta\0`,
    `H 100644 ${oid} 0\ta\0H 100644 ${oid} 0\ta\0`,
    `H 104755 ${oid} 0\ta\0`,
    `H 100644 ${oid} 7\ta\0`,
    `H 100644 xyz 0\ta\0`,
    "garbage\0",
  ];
  const kinds = [];
  for (const listing of listings) {
    const restored = workspace.restore(await forge("plain", "", git, listing));
    kinds.push(await restored.catch((error: unknown) => (error instanceof SkeinError ? error.kind : error)));
  }
  expect(kinds).toEqual(listings.map(() => "policy"));
  expect(await readdir(workspace.path)).toEqual([".git"]);
});

it("a snapshot gives no file the right to run as its owner", async () => {
  const id = await forge("plain", "4755 plain/hook\0");
  await workspace.restore(id);
  expect((await stat(join(workspace.path, "plain/hook"))).mode & 0o7777).toBe(0o755);
  await workspace.snapshots.materialise(id, join(root, "made"));
  expect((await stat(join(root, "made/plain/hook"))).mode & 0o7777).toBe(0o755);
});

it("a restore leaves a shared folder shared", async () => {
  await mkdir(join(workspace.path, "shared"));
  await writeFile(join(workspace.path, "shared/file"), "one");
  await chmod(join(workspace.path, "shared"), 0o2775);
  const { id } = await workspace.snapshot();
  await writeFile(join(workspace.path, "shared/file"), "two");
  await chmod(join(workspace.path, "shared"), 0o2755);
  const { changes } = await workspace.restore(id);
  expect(changes.map(({ path, type }) => [path, type])).toEqual([
    ["shared", "modified"],
    ["shared/file", "modified"],
  ]);
  expect((await stat(join(workspace.path, "shared"))).mode & 0o7777).toBe(0o2775);
});

async function listFiles(directory: string): Promise<readonly string[]> {
  const names = await readdir(directory, { recursive: true });
  return names.filter((name) => !name.startsWith("home/")).toSorted();
}

async function forge(
  name: string,
  meta: string,
  git?: Readonly<Record<string, unknown>>,
  index?: string,
): Promise<string> {
  const objects: NewObject[] = [];
  const add = (type: NewObject["type"], content: Buffer): string => {
    const oid = objectId(type, content);
    objects.push({ oid, type, content });
    return oid;
  };
  const tree = (entries: readonly TreeEntry[]): string => add("tree", treeContent(entries));
  const file = add("blob", Buffer.from("#!/bin/sh\ntouch /tmp/owned\n"));
  const inside = tree([{ mode: "100755", name: "hook", oid: file }]);
  const files = tree([{ mode: "40000", name, oid: inside }]);
  const filesMeta = add("blob", Buffer.from(`skein-files 1 f644 x755 d755\0${meta}`));
  const id = tree([
    { mode: "40000", name: "files", oid: files },
    { mode: "100644", name: "files.meta", oid: filesMeta },
    ...(git ? [{ mode: "100644", name: "git.json", oid: add("blob", Buffer.from(JSON.stringify(git))) }] : []),
    ...(index ? [{ mode: "100644", name: "git-index", oid: add("blob", Buffer.from(index)) }] : []),
  ]);
  await writePack(workspace.gitDirectory, objects);
  return id;
}
