import { joinBytePath, type BytePath, type TreeEdit } from "../git/index.ts";
import { gitMode, type FolderNode, type TreeNode } from "./scan/tree-node.ts";

/** The edits that make one tree of another, below a path. Folders that are the same object are passed over whole. */
export function treeEdits(before: FolderNode | undefined, after: FolderNode, path: BytePath): readonly TreeEdit[] {
  const edits: TreeEdit[] = [];
  collect(before, after, path, edits);
  return edits;
}

function collect(before: FolderNode | undefined, after: FolderNode, path: BytePath, edits: TreeEdit[]): void {
  if (before?.oid === after.oid && before !== undefined) return;
  for (const [name, node] of before?.entries ?? []) {
    const now = after.entries.get(name);
    if (inGit(node) && !(now && inGit(now))) edits.push({ type: "remove", path: joinBytePath(path, name) });
  }
  for (const [name, node] of after.entries) {
    const was = before?.entries.get(name);
    if (was === node) continue;
    const below = joinBytePath(path, name);
    if (node.kind === "folder") {
      if (was && was.kind !== "folder" && inGit(node)) edits.push({ type: "remove", path: below });
      collect(was?.kind === "folder" ? was : undefined, node, below, edits);
    } else if (was?.kind !== node.kind || was.oid !== node.oid || gitMode(was) !== gitMode(node)) {
      if (was?.kind === "folder" && inGit(was)) edits.push({ type: "remove", path: below });
      edits.push({ type: "set", path: below, mode: gitMode(node), oid: node.oid });
    }
  }
}

function inGit(node: TreeNode): boolean {
  return node.oid !== undefined;
}
