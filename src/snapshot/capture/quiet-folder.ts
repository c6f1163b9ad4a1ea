import type { Stats } from "node:fs";
import { type BytePath, joinBytePath, toSystemPath, tryLookAt } from "../../git/index.ts";
import { RULE_MARKERS } from "../left-out/built-in-rules.ts";
import { isUnderSameRules, MOST_BYTES, type Place, type ScanRequest } from "./scan-place.ts";
import { type FolderNode, remembered } from "./tree-node.ts";

/**
 * Tells whether everything in a folder but its subfolders is as it was, so that none of it need be gone through: git has
 * compared its files, its own times say that its names are the same, and nothing else would now be taken or left.
 */
export function isQuiet(request: ScanRequest, place: Place, stamp: string | undefined): boolean {
  const { pass, selection } = request;
  const { path, previous, compared } = place;
  if (!pass || !previous || previous !== compared || stamp === undefined || stamp !== previous.stamp) return false;
  if (!isUnderSameRules(place)) return false;
  if (previous.mode !== (place.stats.mode & 0o777) || pass.dirty.has(path) || !hasPlainRules(previous)) return false;
  if (summary(previous).largest > Math.min(request.sizeLimitBytes, MOST_BYTES)) return false;
  return ![...previous.ignored].some((name) => {
    const below = joinBytePath(path, name);
    const mayBeTaken = selection.takesFile(below) || selection.takesFolder(below) || selection.enters(below);
    return mayBeTaken || previous.entries.has(name);
  });
}

export function subfolders(folder: FolderNode): readonly (readonly [BytePath, FolderNode])[] {
  return summary(folder).folders;
}

/** Its ignore files are such as git has compared, or there are none. */
function hasPlainRules({ rules, entries }: FolderNode): boolean {
  const compared = [".gitignore", ".skeinignore"].filter((name) => entries.get(name)?.kind === "file");
  return compared.length === rules.split(",").filter((text) => text !== "" && !RULE_MARKERS.has(text)).length;
}

const summary = remembered((folder: FolderNode) => {
  const folders: (readonly [BytePath, FolderNode])[] = [];
  let largest = 0;
  for (const [name, node] of folder.entries) {
    if (node.kind === "folder") folders.push([name, node]);
    else if (node.kind === "file") largest = Math.max(largest, node.stat.size);
  }
  return { folders, largest };
});

/** Looks at every folder of a tree that was read before; those that cannot be looked at now are not in the answer. */
export function lookAtFolders(root: BytePath, tree: FolderNode | undefined): ReadonlyMap<FolderNode, Stats> {
  const looks = new Map<FolderNode, Stats>();
  const visit = (folder: FolderNode, path: BytePath): void => {
    for (const [name, below] of subfolders(folder)) {
      const at = joinBytePath(path, name);
      const stats = tryLookAt(toSystemPath(`${root}/${at}`));
      if (!stats?.isDirectory()) continue;
      looks.set(below, stats);
      visit(below, at);
    }
  };
  if (tree) visit(tree, "");
  return looks;
}
