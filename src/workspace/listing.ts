import { joinBytePath, type BytePath } from "./byte-path.ts";
import type { FileState } from "./snapshot-store.ts";
import type { FolderNode } from "./tree-node.ts";

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

/** A tree with nothing in it. */
export const EMPTY_LISTING: Listing = {
  files: new Map(),
  folders: new Map(),
  emptyFolders: new Set(),
  tree: undefined,
};

/** Lists a tree that was read from the disk. */
export function listFolder(root: FolderNode): Listing {
  const files = new Map<BytePath, FileState>();
  const folders = new Map<BytePath, number>();
  const emptyFolders = new Set<BytePath>();
  const visit = (folder: FolderNode, path: BytePath): void => {
    for (const [name, node] of folder.entries) {
      const below = joinBytePath(path, name);
      if (node.kind === "folder") {
        folders.set(below, node.mode);
        if (node.entries.size === 0) emptyFolders.add(below);
        visit(node, below);
      } else {
        files.set(below, { kind: node.kind, mode: node.kind === "symlink" ? 0o777 : node.mode, contentId: node.oid });
      }
    }
  };
  visit(root, "");
  return { files, folders, emptyFolders, tree: root.oid };
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
function isSameState(left: FileState, right: FileState): boolean {
  return left.kind === right.kind && left.mode === right.mode && left.contentId === right.contentId;
}
