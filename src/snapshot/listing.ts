import {
  type BytePath,
  checkStoredPath,
  foldersAbove,
  joinBytePath,
  MOST_LISTING_BYTES,
  runGit,
} from "../git/index.ts";
import type { FilesMeta } from "./files-meta.ts";
import { fileState, type PlainFolder, type TreeRoot } from "./plain-tree.ts";
import { checkRoom, plainFile, readFilesMeta, type SnapshotReader, topEntries } from "./snapshot-reader.ts";
import type { FileState } from "./snapshot-store.ts";

/** A tree as flat maps. */
export interface Listing {
  readonly files: ReadonlyMap<BytePath, FileState>;
  /** Every folder but the root, with its mode. */
  readonly folders: ReadonlyMap<BytePath, number>;
  /** The folders in which nothing is. */
  readonly emptyFolders: ReadonlySet<BytePath>;
  /** The id of the files' git tree; none where there are no files. */
  readonly tree: string | undefined;
}

/** Lists two trees but for the folders that they share, which are left out of both. */
export function listPair(from: TreeRoot, to: TreeRoot): { readonly from: Listing; readonly to: Listing } {
  const [left, right] = [startListing(from.tree), startListing(to.tree)];
  const visit = (a: PlainFolder | undefined, b: PlainFolder | undefined, path: BytePath): void => {
    if (a === b) return;
    const [inA, inB] = [a && addFolder(left, a, path), b && addFolder(right, b, path)];
    for (const [name, folder] of inA ?? []) visit(folder, inB?.get(name), joinBytePath(path, name));
    for (const [name, folder] of inB ?? []) if (!inA?.has(name)) visit(undefined, folder, joinBytePath(path, name));
  };
  visit(from.root, to.root, "");
  return { from: left, to: right };
}

interface OpenListing extends Listing {
  readonly files: Map<BytePath, FileState>;
  readonly folders: Map<BytePath, number>;
  readonly emptyFolders: Set<BytePath>;
}

function startListing(tree: string | undefined): OpenListing {
  return { files: new Map(), folders: new Map(), emptyFolders: new Set(), tree };
}

/** Lists what is in a folder itself, and gives the folders in it. */
function addFolder(listing: OpenListing, folder: PlainFolder, path: BytePath): ReadonlyMap<BytePath, PlainFolder> {
  const folders = new Map<BytePath, PlainFolder>();
  for (const [name, node] of folder.entries) {
    const below = joinBytePath(path, name);
    if (node.kind !== "folder") listing.files.set(below, fileState(node));
    else {
      folders.set(name, node);
      listing.folders.set(below, node.mode);
      if (node.entries.size === 0) listing.emptyFolders.add(below);
    }
  }
  return folders;
}

/** One path that differs between two trees. */
export interface Difference {
  readonly path: BytePath;
  readonly before: FileState | undefined;
  readonly after: FileState | undefined;
}

/** Compares the files of two trees. */
export function compareFiles(from: Listing, to: Listing): readonly Difference[] {
  const differences: Difference[] = [];
  for (const [path, before] of from.files) {
    const after = to.files.get(path);
    if (!after || !isSameState(before, after)) differences.push({ path, before, after });
  }
  for (const [path, after] of to.files) if (!from.files.has(path)) differences.push({ path, before: undefined, after });
  return differences;
}

/** Whether kind, mode and content are the same. */
export function isSameState(left: FileState, right: FileState): boolean {
  return left.kind === right.kind && left.mode === right.mode && left.contentId === right.contentId;
}

/** A snapshot as flat maps. */
export interface SnapshotListing extends Listing {
  /** The tree's own entries: `files`, `files.meta`, `git.json` and the like. */
  readonly top: ReadonlyMap<BytePath, string>;
}

/** Lists all of a snapshot. */
export async function listSnapshot(reader: SnapshotReader, id: string): Promise<SnapshotListing> {
  const top = await topEntries(reader, id);
  const meta = await readFilesMeta(reader, top.get("files.meta") ?? id);
  const tree = top.get("files");
  const files = new Map<BytePath, FileState>();
  if (tree !== undefined) {
    const output = await runGit({
      gitDirectory: reader.repository.gitDirectory,
      args: ["ls-tree", "-r", "-z", "--full-tree", tree],
      mostOutputBytes: MOST_LISTING_BYTES,
    });
    for (const line of output.toString("latin1").split("\0")) {
      const tab = line.indexOf("\t");
      if (tab === -1) continue;
      const [mode = "", , oid = ""] = line.slice(0, tab).split(" ");
      const path = line.slice(tab + 1);
      checkStoredPath(path);
      checkRoom(files.size);
      files.set(path, fileState(plainFile({ mode, oid }, path, meta)));
    }
  }
  return { files, folders: foldersOf(files, meta), emptyFolders: meta.emptyFolders, tree, top };
}

function foldersOf(files: ReadonlyMap<BytePath, unknown>, meta: FilesMeta): ReadonlyMap<BytePath, number> {
  const folders = new Map<BytePath, number>();
  const addAbove = (path: BytePath): void => {
    for (const folder of foldersAbove(path)) {
      if (folders.has(folder)) return;
      folders.set(folder, meta.modes.get(folder) ?? meta.usual.d);
    }
  };
  for (const path of files.keys()) addAbove(path);
  for (const path of meta.emptyFolders) addAbove(`${path}/`);
  return folders;
}
