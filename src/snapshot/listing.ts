import { type BytePath, joinBytePath } from "../git/index.ts";
import { fileState, type PlainFolder, readPlainTree, type SnapshotTree, type TreeRoot } from "./plain-tree.ts";
import type { SnapshotReader } from "./snapshot-reader.ts";
import type { FileState } from "./snapshot-store.ts";

/** A tree as flat maps. */
export interface Listing extends Pick<TreeRoot, "tree"> {
  readonly files: ReadonlyMap<BytePath, FileState>;
  /** Every folder but the root, with its mode. */
  readonly folders: ReadonlyMap<BytePath, number>;
  readonly emptyFolders: ReadonlySet<BytePath>;
}

export interface SnapshotListing extends Listing, Pick<SnapshotTree, "top"> {}

export async function listSnapshot(reader: SnapshotReader, id: string): Promise<SnapshotListing> {
  const snapshot = await readPlainTree(reader, id);
  const nothing: TreeRoot = { root: { kind: "folder", mode: 0, entries: new Map() }, tree: undefined };
  return { ...listPair(nothing, snapshot).to, top: snapshot.top };
}

/** Lists two trees but for the folders that they share, which are left out of both. */
export function listPair(from: TreeRoot, to: TreeRoot): Readonly<Record<"from" | "to", Listing>> {
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

function startListing(tree: string | undefined) {
  const files = new Map<BytePath, FileState>();
  return { files, folders: new Map<BytePath, number>(), emptyFolders: new Set<BytePath>(), tree };
}

function addFolder(listing: ReturnType<typeof startListing>, folder: PlainFolder, path: BytePath) {
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

export interface Difference {
  readonly path: BytePath;
  readonly before: FileState | undefined;
  readonly after: FileState | undefined;
}

export function compareFiles(from: Listing, to: Listing): readonly Difference[] {
  const differences: Difference[] = [];
  for (const [path, before] of from.files) {
    const after = to.files.get(path);
    if (!after || !isSameState(before, after)) differences.push({ path, before, after });
  }
  for (const [path, after] of to.files) if (!from.files.has(path)) differences.push({ path, before: undefined, after });
  return differences;
}

export function isSameState(left: FileState, right: FileState): boolean {
  return left.kind === right.kind && left.mode === right.mode && left.contentId === right.contentId;
}
