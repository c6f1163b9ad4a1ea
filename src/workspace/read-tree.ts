import { joinBytePath, toText, type BytePath } from "./byte-path.ts";
import { blobId } from "./object-id.ts";
import { readFound, statKey, type ReadFile } from "./read-found.ts";
import { RACY_MS, type FoundFile, type FoundFolder, type Scan } from "./scan-tree.ts";
import { sealFolder } from "./seal-folder.ts";
import type { FileNode, FolderNode, TreeNode } from "./tree-node.ts";

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

async function readFolder(scan: Scan, found: FoundFolder, reader: TreeReader): Promise<FolderNode> {
  const entries = new Map<BytePath, TreeNode>();
  for (const [name, file] of found.files) {
    reader.signal?.throwIfAborted();
    const node = file.kind === "unread" ? await readFile(scan, file, reader) : file;
    if (node !== undefined) entries.set(name, node);
  }
  for (const [name, folder] of found.folders) {
    const node = await readFolder(scan, folder, reader);
    if (!(folder.optional && node.entries.size === 0)) entries.set(name, node);
  }
  const isComplete = entries.size === found.files.size + found.folders.size;
  const sealed = { ...found, stamp: isComplete ? found.stamp : undefined };
  const before = found.previous;
  return before && isUnchanged(before, sealed, entries) ? before : sealFolder(sealed, entries);
}

async function readFile(scan: Scan, file: FoundFile, reader: TreeReader): Promise<FileNode | undefined> {
  const { path, stats } = file;
  const kind = stats.isSymbolicLink() ? "symlink" : "file";
  const oid = reader.known?.(file);
  if (oid !== undefined) return { kind, mode: stats.mode & 0o7777, oid, stat: statKey(stats), racy: false };
  const readAtMs = reader.now();
  const outcome = readFound(joinBytePath(reader.root, path), stats);
  if (outcome.type === "gone") scan.moved.add(path);
  if (outcome.type === "unreadable") {
    scan.leftOut.push({ path: toText(path), reason: "unreadable", sizeBytes: stats.size });
  }
  if (outcome.type !== "read") return undefined;
  if (outcome.moved) scan.moved.add(path);
  return await keepFile(outcome, kind, { readAtMs, reader });
}

async function keepFile(
  { content, stats, moved }: ReadFile,
  kind: FileNode["kind"],
  { readAtMs, reader }: { readonly readAtMs: number; readonly reader: TreeReader },
): Promise<FileNode> {
  const oid = blobId(content);
  await reader.keep(oid, content);
  const racy = moved || Math.max(stats.ctimeMs, stats.mtimeMs) > readAtMs - RACY_MS;
  return { kind, mode: stats.mode & 0o7777, oid, stat: statKey(stats), racy };
}

function isUnchanged(before: FolderNode, found: FoundFolder, entries: ReadonlyMap<BytePath, TreeNode>): boolean {
  if (before.mode !== found.mode || before.rules !== found.rules || before.stamp !== found.stamp) return false;
  if (before.entries.size !== entries.size || before.ignored.size !== found.ignored.size) return false;
  for (const [name, node] of entries) if (before.entries.get(name) !== node) return false;
  return [...found.ignored].every((name) => before.ignored.has(name));
}
