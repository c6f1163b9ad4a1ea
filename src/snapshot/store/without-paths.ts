import type { BytePath } from "../../git/index.ts";
import type { PlainFolder } from "../plain-tree.ts";

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
