import type { Stats } from "node:fs";
import { isoTime } from "../../core/index.ts";
import { joinBytePath, toText, type BytePath, blobId } from "../../git/index.ts";
import { isDroppingFolder } from "../left-out/droppings.ts";
import { readFound, statKey, type ReadFile } from "./read-found.ts";
import { RACY_MS } from "./scan-place.ts";
import type { FoundFile, FoundFolder, Scan } from "./scan-tree.ts";
import { sealFolder } from "./seal-folder.ts";
import { isSameStat, type FileNode, type FolderNode, type TreeNode } from "./tree-node.ts";

/** What the reading of a scan's new files needs. */
export interface TreeReader {
  readonly root: BytePath;
  /** Knows a file's content without reading it, as the user's own index may. */
  known?(file: FoundFile): string | undefined;
  /** Takes the content of a file that is not in the store for certain. */
  keep(oid: string, content: Buffer): Promise<void>;
  now(): number;
  readonly signal: AbortSignal | undefined;
}

/** Reads what a scan found to be new, and gives the tree; what turns out gone or unreadable is noted in the scan. */
export async function readTree(scan: Scan, reader: TreeReader): Promise<FolderNode> {
  return await readFolder(scan, scan.folder, reader);
}

async function readFolder(scan: Scan, found: FoundFolder | FolderNode, reader: TreeReader): Promise<FolderNode> {
  if (found.kind === "folder") return found;
  const entries = new Map<BytePath, TreeNode>();
  for (const [name, file] of found.files) {
    reader.signal?.throwIfAborted();
    const node = file.kind === "unread" ? await readFile(scan, file, reader) : file;
    if (node !== undefined) entries.set(name, node);
  }
  for (const [name, folder] of found.folders) {
    const node = await readFolder(scan, folder, reader);
    if (node.entries.size > 0 || !isOptional(folder)) entries.set(name, node);
  }
  const isComplete = entries.size === found.files.size + found.folders.size;
  const sealed = isComplete ? found : { ...found, stamp: undefined };
  const before = found.previous;
  return before && isUnchanged(before, sealed, entries) ? before : sealFolder(sealed, entries);
}

/** Whether a folder is left out where nothing in it is taken. */
function isOptional(folder: FoundFolder | FolderNode): boolean {
  return folder.kind === "found" && (folder.optional || isDroppingFolder(folder.path, folder.ignored));
}

async function readFile(scan: Scan, file: FoundFile, reader: TreeReader): Promise<FileNode | undefined> {
  const { path, stats, before } = file;
  const kind = stats.isSymbolicLink() ? "symlink" : "file";
  const readAtMs = reader.now();
  const oid = reader.known?.(file);
  if (oid !== undefined)
    return { kind, mode: stats.mode & 0o7777, oid, stat: statKey(stats), racy: isYoung(stats, readAtMs) };
  const outcome = readFound(joinBytePath(reader.root, path), stats);
  if (outcome.type === "gone") scan.moved.add(path);
  if (outcome.type === "unreadable") {
    const changedAt = isoTime(stats.mtimeMs);
    scan.leftOut.push({ path: toText(path), reason: "unreadable", sizeBytes: stats.size, changedAt });
  }
  if (outcome.type !== "read") return undefined;
  if (outcome.moved) scan.moved.add(path);
  return await keepFile(outcome, kind, { before, readAtMs, reader });
}

interface Keeping {
  readonly before: TreeNode | undefined;
  readonly readAtMs: number;
  readonly reader: TreeReader;
}

async function keepFile(
  { content, stats, moved }: ReadFile,
  kind: FileNode["kind"],
  { before, readAtMs, reader }: Keeping,
): Promise<FileNode> {
  const oid = blobId(content);
  // What the last snapshot holds is in the store.
  if (before?.kind !== kind || before.oid !== oid) await reader.keep(oid, content);
  const racy = moved || isYoung(stats, readAtMs);
  const node = { kind, mode: stats.mode & 0o7777, oid, stat: statKey(stats), racy };
  return before && isSameNode(before, node) ? before : node;
}

/** It changed so shortly before that its next change may not show in its times. */
function isYoung({ ctimeMs, mtimeMs }: Stats, readAtMs: number): boolean {
  return Math.max(ctimeMs, mtimeMs) > readAtMs - RACY_MS;
}

/** The same object again lets the folders above it be the same too. */
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
