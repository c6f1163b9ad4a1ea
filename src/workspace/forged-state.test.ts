import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { objectId, treeContent, type TreeEntry } from "./object-id.ts";
import { Workspace } from "./workspace.ts";
import { writePack, type NewObject } from "./write-pack.ts";

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

async function forge(name: string, meta: string): Promise<string> {
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
  ]);
  await writePack(workspace.gitDirectory, objects);
  return id;
}
