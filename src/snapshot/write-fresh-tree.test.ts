import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createObjectReader, toBytePath } from "../git/index.ts";
import { createGitSnapshotStore } from "./git-snapshot-store.ts";
import { listSnapshot } from "./listing.ts";
import type { SnapshotReader } from "./snapshot-reader.ts";
import type { SnapshotStore } from "./snapshot-store.ts";
import { openRepository } from "./store/repository.ts";
import { nodeOf, writeFreshTree } from "./write-fresh-tree.ts";

let root: string;
let directory: string;
let fresh: string;
let store: SnapshotStore;
let reader: SnapshotReader;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "skein-fresh-"));
  directory = join(root, "workspace");
  fresh = join(root, "fresh");
  for (const folder of [directory, fresh]) mkdirSync(folder);
  const home = join(root, "home");
  store = await createGitSnapshotStore({ workspace: directory, home });
  const repository = await openRepository(directory, { home });
  reader = { repository, objects: createObjectReader(repository.gitDirectory) };
});

afterEach(async () => {
  await store.close();
  await reader.objects.close();
  rmSync(root, { recursive: true, force: true });
});

describe("a fresh tree", () => {
  it("has every byte as it was, whatever the attributes among its files ask git for", async () => {
    write(
      ".gitattributes",
      "* text=auto eol=crlf ident working-tree-encoding=UTF-16 filter=evil\n[attr]bad text eol=crlf\n",
    );
    write("deep/.gitattributes", "*.txt bad ident export-subst\n");
    write("deep/one.txt", "one\ntwo $Id$\n");
    write("deep/.GITATTRIBUTES", "* eol=crlf\n");
    write("two.md", "$Id: 123 $\r\n\n");
    await writeState();
    expect(bytesBelow(fresh)).toEqual(bytesBelow(directory));
  });

  it("has every mode, whatever the process's mask: files, folders, and what nobody may enter", async () => {
    for (const mode of [0o600, 0o644, 0o664, 0o755, 0o700, 0o711, 0o775, 0o444, 0o555]) {
      write(`modes/${mode.toString(8)}`, `${mode}`, mode);
      write(`folder-${mode.toString(8)}/file`, `${mode}`);
    }
    mkdirSync(join(directory, "empty/inner"), { recursive: true });
    symlinkSync("../outside", join(directory, "empty/link"));
    for (const mode of [0o555, 0o711, 0o700, 0o775]) chmodSync(join(directory, `folder-${mode.toString(8)}`), mode);
    const masks = [0o022, 0o077, 0o002];
    for (const mask of masks) {
      const before = process.umask(mask);
      try {
        await writeState();
      } finally {
        process.umask(before);
      }
      expect(modesBelow(fresh)).toEqual(modesBelow(directory));
      execFileSync("chmod", ["-R", "u+rwX", fresh]);
      rmSync(fresh, { recursive: true });
      mkdirSync(fresh);
    }
  });

  it("tells of each file what a look at it tells, by however many processes it was written", async () => {
    for (let index = 0; index < 900; index += 1)
      write(`a/${index % 7}/b/${index}`, `${index}\n`, index % 3 ? 0o644 : 0o600);
    symlinkSync("a", join(directory, "link"));
    const written = await writeState();
    expect(written.size).toBe(901);
    for (const [path, file] of written) {
      const { size, mtimeMs, ctimeMs, ino, uid, gid, mode } = lstatSync(join(fresh, path));
      const node = nodeOf(file);
      expect([node.stat, node.mode]).toEqual([{ size, mtimeMs, ctimeMs, ino, uid, gid }, mode & 0o777]);
    }
    expect(bytesBelow(fresh)).toEqual(bytesBelow(directory));
    expect(readlinkSync(join(fresh, "link"))).toBe("a");
    expect(readdirSync(join(reader.repository.home, "temporary"))).toEqual([]);
  });

  it("tells a lost object by its kind, and keeps what it was writing closed to others", async () => {
    for (let index = 0; index < 500; index += 1) write(`file-${index}`, `${index}\n`);
    const { id } = await store.capture(directory);
    const listing = await listSnapshot(reader, id);
    const missing = { kind: "file", mode: 0o644, contentId: "1".repeat(40) } as const;
    const files = new Map([...listing.files, [toBytePath("file-499"), missing] as const]);
    const work = writeFreshTree(reader, fresh, { listing: { ...listing, files }, signal: undefined });
    await expect(work).rejects.toMatchObject({ kind: "filesystem", target: missing.contentId });
    expect(lstatSync(fresh).mode & 0o777).toBe(0o700);
  });

  it("tells a full disk by its kind", async (test) => {
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", fresh], { stdio: "ignore" });
    } catch {
      return test.skip("a small disk can only be made by root, where mounts are allowed");
    }
    try {
      for (let index = 0; index < 500; index += 1) write(`file-${index}`, `${index}\n`.repeat(1000));
      const { id } = await store.capture(directory);
      const work = store.materialise(id, fresh);
      await expect(work).rejects.toMatchObject({ kind: "resource_exhausted", resource: "disk" });
    } finally {
      execFileSync("umount", ["--lazy", fresh]);
    }
  });
});

async function writeState(): ReturnType<typeof writeFreshTree> {
  const { id } = await store.capture(directory);
  const listing = await listSnapshot(reader, id);
  return await writeFreshTree(reader, fresh, { listing, signal: undefined });
}

function write(path: string, text: string, mode = 0o644): void {
  const at = join(directory, path);
  mkdirSync(dirname(at), { recursive: true });
  writeFileSync(at, text);
  chmodSync(at, mode);
}

function bytesBelow(folder: string): readonly (readonly [string, string])[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
  return files.flatMap((path) => {
    return lstatSync(join(folder, path)).isFile() ? [[path, readFileSync(join(folder, path), "latin1")] as const] : [];
  });
}

function modesBelow(folder: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
  return files.map((path) => `${lstatSync(join(folder, path)).mode.toString(8)} ${path}`);
}
