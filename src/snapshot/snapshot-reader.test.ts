import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { blobId, objectId, treeContent, type TreeEntry, writePack, type NewObject } from "../git/index.ts";
import type { SnapshotFile } from "./snapshot-store.ts";
import { Workspace } from "../workspace/index.ts";

let root: string;
let workspace: Workspace;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "skein-files-"));
  workspace = await Workspace.open(join(root, "workspace"), { home: join(root, "home") });
});

afterEach(async () => {
  await workspace.close();
  await rm(root, { recursive: true, force: true });
});

it("a snapshot, a state and the workspace list the same files, those of a state long after", async () => {
  await writeFile(join(workspace.path, "a"), "one");
  const snapshot = await workspace.snapshot();
  const file = { path: "a", kind: "file", mode: 0o644, sizeBytes: 3, contentId: blobId(Buffer.from("one")) };
  expect(await all(snapshot.files())).toEqual([file]);
  expect(await all(workspace.files())).toEqual([file]);
  await writeFile(join(workspace.path, "a"), "other");
  await writeFile(join(workspace.path, "b"), "");
  expect(await all(workspace.files(snapshot.id))).toEqual([file]);
  expect(await all(snapshot.files())).toEqual([file]);
  const now = [];
  for await (const { path, sizeBytes } of workspace.files()) now.push([path, sizeBytes]);
  expect(now).toEqual([
    ["a", 5],
    ["b", 0],
  ]);
  await expect(workspace.files("nothing").next()).rejects.toMatchObject({ kind: "state_not_found" });
});

it("a name that is not UTF-8 is told by its bytes", async () => {
  const name = Buffer.from([0x62, 0xff, 0x2e, 0x63]);
  await writeFile(Buffer.concat([Buffer.from(`${workspace.path}/`), name]), "x");
  const [file] = await all(workspace.files());
  expect(file).toMatchObject({ path: "b\ufffd.c", pathBytes: name, sizeBytes: 1 });
  const { id } = await workspace.snapshot();
  expect((await workspace.read(id, file?.pathBytes ?? "")).toString()).toBe("x");
});

it("a listing gives the first file without reading the folders after it", async () => {
  const missing = "0123456789012345678901234567890123456789";
  const file = addBlob("x");
  const id = await forge([
    { mode: "100644", name: "a", oid: file },
    { mode: "40000", name: "b", oid: missing },
  ]);
  const files = workspace.files(id);
  expect((await files.next()).value).toMatchObject({ path: "a" });
  await expect(files.next()).rejects.toMatchObject({ kind: "filesystem", target: missing });
});

it("a snapshot that was made to have no end is refused", async () => {
  let tree = addTree([]);
  for (let depth = 0; depth < 20; depth += 1) {
    const names = Array.from({ length: 60_000 }, (_, index) => String(index).padStart(5, "0"));
    const oid = tree;
    tree = addTree(names.map((name) => ({ mode: "40000", name, oid })));
  }
  const id = await forge([{ mode: "40000", name: "wide", oid: tree }]);
  await expect(workspace.files(id).next()).rejects.toMatchObject({ kind: "policy" });
});

it("a snapshot that lacks a file's content says which", async () => {
  const missing = "0123456789012345678901234567890123456789";
  const id = await forge([{ mode: "100644", name: "a", oid: missing }]);
  await expect(workspace.files(id).next()).rejects.toMatchObject({ kind: "filesystem", target: missing });
});

async function all(files: AsyncIterable<SnapshotFile>): Promise<readonly SnapshotFile[]> {
  const found = [];
  for await (const file of files) found.push(file);
  return found;
}

const added = new Map<string, NewObject>();

function add(type: NewObject["type"], content: Buffer): string {
  const oid = objectId(type, content);
  added.set(oid, { oid, type, content });
  return oid;
}

function addBlob(text: string): string {
  return add("blob", Buffer.from(text));
}

function addTree(entries: readonly TreeEntry[]): string {
  return add("tree", treeContent(entries));
}

/** Writes a snapshot of these files, as somebody else may have made it. */
async function forge(files: readonly TreeEntry[]): Promise<string> {
  const id = addTree([
    { mode: "40000", name: "files", oid: addTree(files) },
    { mode: "100644", name: "files.meta", oid: addBlob("skein-files 1 f644 x755 d755\0") },
  ]);
  await writePack(workspace.gitDirectory, [...added.values()]);
  return id;
}
