import type { Stats } from "node:fs";
import { joinBytePath, toSystemPath, type BytePath, lookAt } from "../../git/index.ts";
import { subfolders } from "./quiet-folder.ts";
import type { FolderNode } from "./tree-node.ts";

/** Looks at every folder of a tree that was read before; those that cannot be looked at now are not in the answer. */
export function lookAtFolders(root: BytePath, tree: FolderNode): ReadonlyMap<FolderNode, Stats> {
  const looks = new Map<FolderNode, Stats>();
  const visit = (folder: FolderNode, path: BytePath): void => {
    for (const [name, below] of subfolders(folder)) {
      const at = joinBytePath(path, name);
      const stats = tryLook(`${root}/${at}`);
      if (!stats?.isDirectory()) continue;
      looks.set(below, stats);
      visit(below, at);
    }
  };
  visit(tree, "");
  return looks;
}

function tryLook(path: BytePath): Stats | undefined {
  try {
    return lookAt(toSystemPath(path));
  } catch {
    return undefined;
  }
}
