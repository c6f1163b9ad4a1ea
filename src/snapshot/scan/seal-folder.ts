import { type BytePath, treeId, type TreeEntry } from "../../git/index.ts";
import { gitMode, type FolderNode, type TreeNode } from "./tree-node.ts";

/** Makes a folder of what was found in it: its tree's id and the modes in it are reckoned here, once. */
export function sealFolder(
  found: Pick<FolderNode, "mode" | "ignored" | "withheld" | "rules" | "stamp">,
  entries: ReadonlyMap<BytePath, TreeNode>,
): FolderNode {
  const modes = new Map<string, number>();
  const count = (key: string, times: number): void => void modes.set(key, (modes.get(key) ?? 0) + times);
  for (const node of entries.values()) {
    if (node.kind === "folder") {
      if (node.entries.size === 0) count("empty", 1);
      for (const [key, times] of node.modes) count(key, times);
    }
    const key = modeKey(node);
    if (key !== undefined) count(key, 1);
  }
  const { mode, ignored, withheld, rules, stamp } = found;
  const lines = treeLines(entries);
  return {
    kind: "folder",
    mode,
    ignored,
    withheld,
    rules,
    stamp,
    entries,
    modes,
    oid: lines.length === 0 ? undefined : treeId(lines),
  };
}

/** What a folder's git tree holds: no folder without files, for git has none. */
export function treeLines(entries: ReadonlyMap<BytePath, TreeNode>): readonly TreeEntry[] {
  const lines: TreeEntry[] = [];
  for (const [name, node] of entries) {
    if (node.kind !== "folder") lines.push({ mode: gitMode(node), name, oid: node.oid });
    else if (node.oid !== undefined) lines.push({ mode: "40000", name, oid: node.oid });
  }
  return lines;
}

/** A node's kind and mode as one word; undefined for a link, which has no mode of its own. */
export function modeKey(node: TreeNode): string | undefined {
  if (node.kind === "symlink") return undefined;
  if (node.kind === "folder") return `d${node.mode.toString(8)}`;
  return `${(node.mode & 0o100) === 0 ? "f" : "x"}${node.mode.toString(8)}`;
}
