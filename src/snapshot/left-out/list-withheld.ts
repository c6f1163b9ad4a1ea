import { isoTime } from "../../core/index.ts";
import { joinBytePath, toSystemPath, toText, type BytePath, lookAt } from "../../git/index.ts";
import type { LeftOut } from "../snapshot-store.ts";
import type { FolderNode } from "../scan/tree-node.ts";
import type { Withholding } from "./built-in-rules.ts";

/** What the built-in rules leave out of a tree, as it is in the directory now. */
export function listWithheld(root: BytePath, tree: FolderNode): readonly LeftOut[] {
  return withheldBelow(tree).flatMap(({ path, why }) => {
    const stats = tryLook(`${root}/${path}`);
    if (stats === undefined) return [];
    const told = { path: toText(path), reason: why, sizeBytes: stats.isFile() ? stats.size : 0 };
    return [stats.isFile() ? { ...told, changedAt: isoTime(stats.mtimeMs) } : told];
  });
}

interface WithheldPath {
  readonly path: BytePath;
  readonly why: Withholding;
}

/** What is tracked or asked for is in the tree all the same, and not left out. */
function withheldBelow(folder: FolderNode): readonly WithheldPath[] {
  const known = lists.get(folder);
  if (known) return known;
  const found: WithheldPath[] = [];
  for (const [name, why] of folder.withheld) if (!folder.entries.has(name)) found.push({ path: name, why });
  for (const [name, node] of folder.entries) {
    if (node.kind !== "folder") continue;
    for (const { path, why } of withheldBelow(node)) found.push({ path: joinBytePath(name, path), why });
  }
  lists.set(folder, found);
  return found;
}

/** A folder is never changed, so what was found out of it holds. */
const lists = new WeakMap<FolderNode, readonly WithheldPath[]>();

function tryLook(path: BytePath): ReturnType<typeof lookAt> {
  try {
    return lookAt(toSystemPath(path));
  } catch {
    return undefined;
  }
}
