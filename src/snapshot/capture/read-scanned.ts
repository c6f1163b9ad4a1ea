import { closeSync, fstatSync, lstatSync, readFileSync, readlinkSync } from "node:fs";
import { blobId, type BytePath, errorCode, joinBytePath, openPlain, toSystemPath } from "../../git/index.ts";
import { isDroppingFolder } from "../left-out/droppings.ts";
import { leftOut } from "../left-out/list-left-out.ts";
import type { FoundFile, FoundFolder, Scan } from "./scan-tree.ts";
import {
  type FileNode,
  type FolderNode,
  isSameStat,
  type Look,
  RACY_MS,
  sealFolder,
  type StatKey,
  toLook,
  type TreeNode,
} from "./tree-node.ts";

interface TreeReader {
  readonly root: BytePath;
  /** Knows a file's content without reading it, as the user's own index may. */
  known?(file: FoundFile): string | undefined;
  keep(oid: string, content: Buffer): Promise<void>;
  now(): number;
  readonly signal: AbortSignal | undefined;
}

/** Reads what a scan found to be new, and gives the tree; what turns out gone or unreadable is noted in the scan. */
export async function readScanned(scan: Scan, reader: TreeReader, found = scan.folder): Promise<FolderNode> {
  if (found.kind === "folder") return found;
  const entries = new Map<BytePath, TreeNode>();
  for (const [name, file] of found.files) {
    reader.signal?.throwIfAborted();
    const node = file.kind === "unread" ? await readFile(scan, file, reader) : file;
    if (node !== undefined) entries.set(name, node);
  }
  for (const [name, folder] of found.folders) {
    const node = await readScanned(scan, reader, folder);
    // Left out where nothing in it is taken.
    const isOptional = folder.kind === "found" && (folder.optional || isDroppingFolder(folder.path, folder.ignored));
    if (node.entries.size > 0 || !isOptional) entries.set(name, node);
  }
  const isComplete = entries.size === found.files.size + found.folders.size;
  const sealed = isComplete ? found : { ...found, stamp: undefined };
  const before = found.previous;
  return before && isUnchanged(before, sealed, entries) ? before : sealFolder(sealed, entries);
}

async function readFile(scan: Scan, file: FoundFile, reader: TreeReader): Promise<FileNode | undefined> {
  const { path, look, before } = file;
  const kind = look.kind === "symlink" ? "symlink" : "file";
  const readAtMs = reader.now();
  const toNode = (oid: string, { mode, stat }: Look, moved = false): FileNode => {
    return { kind, mode, oid, stat, racy: moved || isYoung(stat, readAtMs) };
  };
  const known = reader.known?.(file);
  if (known !== undefined) return toNode(known, look);
  const outcome = readFound(joinBytePath(reader.root, path), look);
  if (outcome === "unreadable") scan.leftOut.push(leftOut(path, "unreadable", look.stat));
  else if (outcome === "gone" || outcome.moved) scan.moved.add(path);
  if (typeof outcome === "string") return undefined;
  const oid = blobId(outcome.content);
  // What the last snapshot holds is in the store.
  if (before?.kind !== kind || before.oid !== oid) await reader.keep(oid, outcome.content);
  const node = toNode(oid, toLook(outcome.after), outcome.moved);
  // The same object again lets the folders above it be the same too.
  return before && isSameNode(before, node) ? before : node;
}

/** It changed so shortly before that its next change may not show in its times. */
function isYoung({ ctimeMs, mtimeMs }: StatKey, readAtMs: number): boolean {
  return Math.max(ctimeMs, mtimeMs) > readAtMs - RACY_MS;
}

function isSameNode(before: TreeNode, node: FileNode): before is FileNode {
  if (before.kind !== node.kind || before.mode !== node.mode || before.oid !== node.oid) return false;
  return before.racy === node.racy && isSameStat(before.stat, node.stat);
}

function isUnchanged(before: FolderNode, found: FoundFolder, entries: ReadonlyMap<BytePath, TreeNode>): boolean {
  if (before.mode !== found.mode || before.rules !== found.rules || before.stamp !== found.stamp) return false;
  if (before.entries.size !== entries.size || before.ignored.size !== found.ignored.size) return false;
  for (const [name, node] of entries) if (before.entries.get(name) !== node) return false;
  if (before.withheld.size !== found.withheld.size) return false;
  for (const [name, why] of found.withheld) if (before.withheld.get(name) !== why) return false;
  return [...found.ignored].every((name) => before.ignored.has(name));
}

/** Reads a file or a link, never through a link, and again if it changes under the reading; or tells why it cannot be read. */
function readFound(absolutePath: BytePath, found: Look) {
  const path = toSystemPath(absolutePath);
  try {
    for (let attempt = 1; ; attempt += 1) {
      const { content, before, after } = found.kind === "symlink" ? readLink(path) : readRegular(path);
      const isSteady = isSameStat(before, after);
      // `moved`: it changed while it was read, or since it was found.
      if (isSteady || attempt === 3) return { content, after, moved: !isSteady || !isSameStat(found.stat, after) };
    }
  } catch (error) {
    const code = errorCode(error);
    if (["EACCES", "EPERM", "EIO"].includes(code)) return "unreadable";
    // A link or a pipe has taken its place, or nothing has.
    if (["ENOENT", "ENOTDIR", "ELOOP", "EINVAL", "ENXIO", "EISDIR"].includes(code)) return "gone";
    throw error;
  }
}

function readRegular(path: string | Buffer) {
  const file = openPlain(path);
  try {
    const before = fstatSync(file);
    if (!before.isFile()) throw Object.assign(new Error("No longer a file"), { code: "ELOOP" });
    const content = readFileSync(file);
    return { content, before, after: fstatSync(file) };
  } finally {
    closeSync(file);
  }
}

function readLink(path: string | Buffer) {
  const before = lstatSync(path);
  const content = readlinkSync(path, { encoding: "buffer" });
  return { content, before, after: lstatSync(path) };
}
