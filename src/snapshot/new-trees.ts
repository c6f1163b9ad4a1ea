import { treeContent, type NewObject } from "../git/index.ts";
import { treeLines } from "./scan/seal-folder.ts";
import type { FolderNode } from "./scan/tree-node.ts";

/** The git trees of a folder that another does not have in the same place, up to a number; undefined where there are more. */
export function newTrees(
  before: FolderNode | undefined,
  after: FolderNode,
  most: number,
): readonly NewObject[] | undefined {
  const trees: NewObject[] = [];
  const visit = (was: FolderNode | undefined, folder: FolderNode): void => {
    if (folder.oid === undefined || folder.oid === was?.oid || trees.length > most) return;
    trees.push({ oid: folder.oid, type: "tree", content: treeContent(treeLines(folder.entries)) });
    for (const [name, node] of folder.entries) {
      const old = was?.entries.get(name);
      if (node.kind === "folder") visit(old?.kind === "folder" ? old : undefined, node);
    }
  };
  visit(before, after);
  return trees.length > most ? undefined : trees;
}
