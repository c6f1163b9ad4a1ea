import { readdirSync } from "node:fs";
import { joinBytePath, toSystemPath, toText, type BytePath } from "../../git/index.ts";
import type { FolderNode } from "../scan/tree-node.ts";
import { isDropping } from "./droppings.ts";

/** What ignore files keep out of a tree, in the directory that it was read from: a folder of which nothing is held counts as one. */
export function listIgnored(root: BytePath, tree: FolderNode): readonly string[] {
  return ignoredBelow(root, "", tree)
    .filter((path) => !isDropping(path))
    .map(toText)
    .toSorted();
}

function ignoredBelow(root: BytePath, folder: BytePath, { entries, ignored, withheld }: FolderNode): BytePath[] {
  const found: BytePath[] = [];
  for (const name of ignored) {
    if (!entries.has(name) && !withheld.has(name)) found.push(joinBytePath(folder, name));
  }
  for (const [name, node] of entries) {
    if (node.kind !== "folder") continue;
    const path = joinBytePath(folder, name);
    found.push(...(ignored.has(name) ? unheldIn(root, path, node) : ignoredBelow(root, path, node)));
  }
  return found;
}

/** An ignored folder of which something is held, because it is tracked: the rest of it was not asked about. */
function unheldIn(root: BytePath, folder: BytePath, { entries }: FolderNode): BytePath[] {
  return readdirSync(toSystemPath(`${root}/${folder}`), { encoding: "latin1" }).flatMap((name) => {
    const path = joinBytePath(folder, name);
    const node = entries.get(name);
    if (!node) return [path];
    return node.kind === "folder" ? unheldIn(root, path, node) : [];
  });
}
