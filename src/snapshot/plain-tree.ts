import { type BytePath, joinBytePath, type TreeEntry, parseTreeEntries, readTreeObject } from "../git/index.ts";
import { treeLines, type FolderNode } from "./capture/tree-node.ts";
import type { FilesMeta } from "./files-meta.ts";
import {
  checkRoom,
  readFilesMeta,
  topEntries,
  type SnapshotReader,
  type PlainFile,
  MOST_PATH_BYTES,
  plainFile,
} from "./snapshot-reader.ts";
import type { FileState } from "./snapshot-store.ts";
import { leadingFolders } from "./left-out/selection.ts";

/** A folder of a tree. One that was read from the disk is one too: where two trees share it, they are the same there. */
export interface PlainFolder {
  readonly kind: "folder";
  readonly mode: number;
  readonly entries: ReadonlyMap<BytePath, PlainFile | PlainFolder>;
}

/** What a tree has at a path. */
export function nodeAt(root: PlainFolder, path: BytePath): PlainFile | PlainFolder | undefined {
  let node: PlainFile | PlainFolder | undefined = root;
  for (const name of path.split("/")) node = node?.kind === "folder" ? node.entries.get(name) : undefined;
  return node;
}

/** A file as a snapshot tells it; a link has no permissions of its own. */
export function fileState({ kind, mode, oid }: PlainFile): FileState {
  return { kind, mode: kind === "symlink" ? 0o777 : mode, contentId: oid };
}

/** A snapshot as a tree. */
export interface SnapshotTree {
  /** The entries of the snapshot's own tree, by name. */
  readonly top: ReadonlyMap<BytePath, string>;
  readonly root: PlainFolder;
}

/**
 * Reads a snapshot as a tree that shares with another what is the same in both: only folders that differ are read from
 * the store, so the cost follows the difference.
 */
export async function readPlainTree(
  reader: SnapshotReader,
  id: string,
  like: FolderNode | undefined,
): Promise<SnapshotTree> {
  const top = await topEntries(reader, id);
  const meta = await readFilesMeta(reader, top.get("files.meta") ?? id);
  const { f, x, d } = meta.usual;
  const exceptions = leadingFolders([...meta.modes.keys(), ...meta.emptyFolders]);
  const tree: Reading = {
    reader,
    meta,
    usual: new Set([`f${f.toString(8)}`, `x${x.toString(8)}`, `d${d.toString(8)}`]),
    isPlain: (path) => !exceptions.has(path) && (path !== "" || meta.modes.size + meta.emptyFolders.size === 0),
    withoutFiles: namesAbove(meta.emptyFolders),
    seen: { paths: 0 },
  };
  return { top, root: await readFolder(tree, { path: "", oid: top.get("files"), like }) };
}

interface Reading {
  readonly reader: SnapshotReader;
  readonly meta: FilesMeta;
  /** The modes that are not told for each path. */
  readonly usual: ReadonlySet<string>;
  /** Whether nothing below a folder is told for itself. */
  isPlain(folder: BytePath): boolean;
  /** For each folder the folders in it that are empty, or lead to an empty one. */
  readonly withoutFiles: ReadonlyMap<BytePath, ReadonlySet<BytePath>>;
  /** How many files and folders were read so far: one tree may stand in others any number of times. */
  readonly seen: { paths: number };
}

interface Place {
  readonly path: BytePath;
  readonly oid: string | undefined;
  readonly like: FolderNode | undefined;
}

async function readFolder(reading: Reading, { path, oid, like }: Place): Promise<PlainFolder> {
  const { meta, usual, withoutFiles } = reading;
  const mode = meta.modes.get(path) ?? meta.usual.d;
  if (like && oid !== undefined && like.oid === oid && reading.isPlain(path) && (path === "" || like.mode === mode)) {
    if ([...like.modes.keys()].every((key) => usual.has(key))) return like;
  }
  const lines = await readLines(reading, oid, like);
  checkRoom((reading.seen.paths += lines.length));
  if (path.length > MOST_PATH_BYTES) checkRoom(Number.POSITIVE_INFINITY);
  const folders = new Map<BytePath, string | undefined>();
  const entries = new Map<BytePath, PlainFile | PlainFolder>();
  for (const line of lines) {
    if (line.mode === "40000") folders.set(line.name, line.oid);
    else entries.set(line.name, plainFile(line, joinBytePath(path, line.name), meta));
  }
  for (const name of withoutFiles.get(path) ?? []) if (!folders.has(name)) folders.set(name, undefined);
  const below = Array.from(folders, async ([name, folderOid]) => {
    const before = like?.entries.get(name);
    const place = { path: joinBytePath(path, name), oid: folderOid };
    return [
      name,
      await readFolder(reading, { ...place, like: before?.kind === "folder" ? before : undefined }),
    ] as const;
  });
  for (const [name, folder] of await Promise.all(below)) entries.set(name, folder);
  return { kind: "folder", mode, entries };
}

async function readLines(
  { reader }: Reading,
  oid: string | undefined,
  like: FolderNode | undefined,
): Promise<readonly TreeEntry[]> {
  if (oid === undefined) return [];
  return like?.oid === oid ? treeLines(like.entries) : parseTreeEntries(await readTreeObject(reader.objects, oid));
}

function namesAbove(folders: Iterable<BytePath>): ReadonlyMap<BytePath, ReadonlySet<BytePath>> {
  const names = new Map<BytePath, Set<BytePath>>();
  for (const folder of folders) {
    for (let path = folder; path !== "";) {
      const slash = path.lastIndexOf("/");
      const above = slash === -1 ? "" : path.slice(0, slash);
      const inside = names.get(above) ?? new Set();
      names.set(above, inside.add(path.slice(slash + 1)));
      path = above;
    }
  }
  return names;
}

/** A tree without what it has at some paths; the same object where it has nothing there. */
export function withoutPaths(root: PlainFolder, paths: readonly BytePath[]): PlainFolder {
  return paths.reduce((folder, path) => without(folder, path.split("/")), root);
}

function without(folder: PlainFolder, [name = "", ...rest]: readonly BytePath[]): PlainFolder {
  const node = folder.entries.get(name);
  if (!node) return folder;
  const entries = new Map(folder.entries);
  if (rest.length === 0) {
    entries.delete(name);
    return { ...folder, entries };
  }
  const left = node.kind === "folder" ? without(node, rest) : node;
  return left === node ? folder : { ...folder, entries: entries.set(name, left) };
}

/** The root of a snapshot's files, and the id of their git tree. */
export function withTree({ root, top }: SnapshotTree): {
  readonly root: PlainFolder;
  readonly tree: string | undefined;
} {
  return { root, tree: top.get("files") };
}
