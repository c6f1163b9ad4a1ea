import { type BytePath, joinBytePath, leadingFolders, readTree } from "../git/index.ts";
import { type FolderNode, treeLines, type TreeNode } from "./capture/tree-node.ts";
import { usualModes } from "./files-meta.ts";
import { createRoomCheck, openSnapshot, type PlainFile, plainFile, type SnapshotReader } from "./snapshot-reader.ts";
import type { FileState } from "./snapshot-store.ts";

/** A folder of a tree. One that was read from the disk is one too: where two trees share it, they are the same there. */
export interface PlainFolder {
  readonly kind: "folder";
  readonly mode: number;
  readonly entries: ReadonlyMap<BytePath, PlainFile | PlainFolder>;
  /** The id of its git tree, as it was read. */
  readonly oid?: string | undefined;
}

export function nodeAt(root: PlainFolder | undefined, path: BytePath): PlainFile | PlainFolder | undefined {
  let node: PlainFile | PlainFolder | undefined = root;
  for (const name of path.split("/")) node = node?.kind === "folder" ? node.entries.get(name) : undefined;
  return node;
}

/** A file as a snapshot tells it; a link has no permissions of its own. */
export function fileState({ kind, mode, oid }: PlainFile): FileState {
  return { kind, mode: kind === "symlink" ? 0o777 : mode, contentId: oid };
}

export function fileAt(root: PlainFolder, path: BytePath): FileState | undefined {
  const node = nodeAt(root, path);
  return node === undefined || node.kind === "folder" ? undefined : fileState(node);
}

/** The root of a tree of files, and the id of its git tree; none where there are no files. */
export interface TreeRoot {
  readonly root: PlainFolder;
  readonly tree: string | undefined;
}

export interface SnapshotTree extends TreeRoot {
  /** The snapshot's own entries: `files`, `files.meta`, `git.json` and the like. */
  readonly top: ReadonlyMap<BytePath, string>;
}

/** Reads a snapshot as a tree that shares with another what is the same in both: only folders that differ are read. */
export async function readPlainTree(
  reader: SnapshotReader,
  id: string,
  like?: FolderNode | SnapshotTree,
): Promise<SnapshotTree> {
  const { top, meta } = await openSnapshot(reader, id);
  const [other, scanned] = like && "top" in like ? [like, undefined] : [undefined, like];
  // With the same permissions and empty folders, a folder of another snapshot with the same id is the same folder.
  const twins = other?.top.get("files.meta") === top.get("files.meta") ? other?.root : undefined;
  const exceptions = leadingFolders([...meta.modes.keys(), ...meta.emptyFolders]);
  const isPlain = (path: BytePath): boolean =>
    !exceptions.has(path) && (path !== "" || meta.modes.size + meta.emptyFolders.size === 0);
  const usual = usualModes(meta.usual);
  const withoutFiles = namesAbove(meta.emptyFolders);
  const check = createRoomCheck();
  const readFolder = async (path: BytePath, oid: string | undefined, same?: TreeNode): Promise<PlainFolder> => {
    const twin = path === "" ? twins : nodeAt(twins, path);
    if (oid !== undefined && twin?.kind === "folder" && twin.oid === oid) return twin;
    const mode = meta.modes.get(path) ?? meta.usual.d;
    const known = same?.kind === "folder" ? same : undefined;
    const isSame = known && oid !== undefined && known.oid === oid;
    if (isSame && isPlain(path) && (path === "" || known.mode === mode)) {
      if ([...known.modes.keys()].every((key) => usual.has(key))) return known;
    }
    const lines = isSame ? treeLines(known.entries) : oid === undefined ? [] : await readTree(reader.objects, oid);
    check(path, lines.length);
    const folders = new Map<BytePath, string | undefined>();
    const entries = new Map<BytePath, PlainFile | PlainFolder>();
    for (const line of lines) {
      if (line.mode === "40000") folders.set(line.name, line.oid);
      else entries.set(line.name, plainFile(line, joinBytePath(path, line.name), meta));
    }
    for (const name of withoutFiles.get(path) ?? []) if (!folders.has(name)) folders.set(name, undefined);
    const below = Array.from(folders, async ([name, folderOid]) => {
      return [name, await readFolder(joinBytePath(path, name), folderOid, known?.entries.get(name))] as const;
    });
    for (const [name, folder] of await Promise.all(below)) entries.set(name, folder);
    return { kind: "folder", mode, entries, oid };
  };
  const tree = top.get("files");
  return { top, tree, root: await readFolder("", tree, scanned) };
}

/** For each folder the folders in it that are empty, or lead to an empty one. */
function namesAbove(folders: Iterable<BytePath>): ReadonlyMap<BytePath, ReadonlySet<BytePath>> {
  const names = new Map<BytePath, Set<BytePath>>();
  for (const path of [...folders, ...leadingFolders(folders)]) {
    const slash = path.lastIndexOf("/");
    const above = path.slice(0, Math.max(slash, 0));
    names.set(above, (names.get(above) ?? new Set()).add(path.slice(slash + 1)));
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
