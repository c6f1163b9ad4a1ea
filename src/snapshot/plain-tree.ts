import type { BytePath } from "../git/index.ts";
import type { FileState } from "./snapshot-store.ts";

/** A file or a link of a tree, wherever the tree comes from. */
export interface PlainFile {
  readonly kind: "file" | "symlink";
  readonly mode: number;
  readonly oid: string;
}

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
