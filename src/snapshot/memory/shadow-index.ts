import { createHash } from "node:crypto";
import { joinBytePath, type BytePath } from "../../git/index.ts";
import { gitMode, type FileNode, type FolderNode, type TreeNode } from "../scan/tree-node.ts";

/** An index file of Skein's own, by which git can tell what changed since a tree was read. It is never changed. */
export interface Shadow {
  readonly path: string;
  /** The tree that it was written from. */
  readonly root: FolderNode;
  /** A name in it that no directory has. Git must find it missing: otherwise it did not read this file. */
  readonly sentinel: BytePath;
}

/** When every index says it was written: so late that git never takes a file to be younger and reads it. */
export const INDEX_SECONDS = 0x7fff_ffff;

/** Writes a tree as a git index, version 2. Files that must be looked at in any case get times that no file has. */
export function formatIndex(
  root: FolderNode,
  sentinel: BytePath,
): { readonly content: Buffer; readonly files: number; readonly trusted: number } {
  const writer = createEntryWriter();
  const visit = (folder: FolderNode, path: BytePath): void => {
    const nodes: Iterable<readonly [BytePath, TreeNode]> =
      path === "" ? [...folder.entries, [sentinel, NOWHERE] as const] : folder.entries;
    for (const [, name, node] of inIndexOrder(nodes)) {
      const below = joinBytePath(path, name);
      if (node.kind === "folder") visit(node, below);
      else writer.add(below, node);
    }
  };
  visit(root, "");
  return writer.end();
}

/** Whether git, which compares whole seconds, can be believed when it says that this file is the same. */
function isTrusted({ racy, stat }: FileNode): boolean {
  return !racy && stat.mtimeMs >= 1000 && stat.ctimeMs >= 1000 && stat.mtimeMs < INDEX_SECONDS * 1000;
}

const NOWHERE: FileNode = {
  kind: "file",
  mode: 0o644,
  oid: "0".repeat(39) + "1",
  stat: { size: 0, mtimeMs: 0, ctimeMs: 0, ino: 0, uid: 0, gid: 0 },
  racy: true,
};

/** Paths are ordered as a whole, which is the order of names if a folder's name ends in its slash. */
function inIndexOrder(
  nodes: Iterable<readonly [BytePath, TreeNode]>,
): readonly (readonly [key: string, name: BytePath, node: TreeNode])[] {
  const keyed = Array.from(nodes, ([name, node]) => [node.kind === "folder" ? `${name}/` : name, name, node] as const);
  return keyed.toSorted(([left], [right]) => (left < right ? -1 : 1));
}

interface EntryWriter {
  add(path: BytePath, node: FileNode): void;
  end(): { readonly content: Buffer; readonly files: number; readonly trusted: number };
}

const ENTRY_BYTES = 62;

function createEntryWriter(): EntryWriter {
  let bytes = Buffer.allocUnsafe(1 << 16);
  let at = bytes.write("DIRC\0\0\0\x02\0\0\0\0", "latin1");
  let files = 0;
  let trusted = 0;
  const room = (size: number): void => {
    if (at + size <= bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(bytes.length * 2, at + size));
    bytes.copy(larger, 0, 0, at);
    bytes = larger;
  };
  return {
    add(path, node) {
      const size = (ENTRY_BYTES + path.length + 8) & ~7;
      room(size);
      files += 1;
      if (isTrusted(node)) trusted += 1;
      writeStat(bytes, at, isTrusted(node) ? node : NOWHERE);
      bytes.writeUInt32BE(Number.parseInt(gitMode(node), 8), at + 24);
      bytes.write(node.oid, at + 40, "hex");
      bytes.writeUInt16BE(Math.min(path.length, 0xfff), at + 60);
      bytes.fill(0, at + ENTRY_BYTES + path.length, at + size);
      bytes.write(path, at + ENTRY_BYTES, "latin1");
      at += size;
    },
    end() {
      bytes.writeUInt32BE(files, 8);
      room(20);
      at += createHash("sha1").update(bytes.subarray(0, at)).digest().copy(bytes, at);
      return { content: bytes.subarray(0, at), files, trusted };
    },
  };
}

/** Nanoseconds and the device are left at zero: git compares neither, unless it was built to. */
function writeStat(bytes: Buffer, at: number, { stat }: FileNode): void {
  bytes.fill(0, at, at + 40);
  bytes.writeUInt32BE(Math.floor(stat.ctimeMs / 1000) % 2 ** 32, at);
  bytes.writeUInt32BE(Math.floor(stat.mtimeMs / 1000) % 2 ** 32, at + 8);
  bytes.writeUInt32BE(stat.ino % 2 ** 32, at + 20);
  bytes.writeUInt32BE(stat.uid % 2 ** 32, at + 28);
  bytes.writeUInt32BE(stat.gid % 2 ** 32, at + 32);
  bytes.writeUInt32BE(stat.size % 2 ** 32, at + 36);
}
