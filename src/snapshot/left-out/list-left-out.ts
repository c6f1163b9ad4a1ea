import { readdirSync, type Stats } from "node:fs";
import { isoTime } from "../../core/internal.ts";
import { type BytePath, joinBytePath, toSystemPath, toText, tryLookAt } from "../../git/index.ts";
import { type FolderNode, remembered } from "../capture/tree-node.ts";
import type { LeftOut } from "../snapshot-store.ts";
import type { Withholding } from "./built-in-rules.ts";
import { isDropping } from "./droppings.ts";

/** What ignore files keep out of a tree, in the directory that it was read from: a folder of which nothing is held counts as one. */
export function listIgnored(root: BytePath, tree: FolderNode): readonly string[] {
  const found = ignoredBelow(root, "", tree).filter((path) => !isDropping(path));
  return found.map(toText).toSorted();
}

function ignoredBelow(root: BytePath, folder: BytePath, { entries, ignored, withheld }: FolderNode): BytePath[] {
  const names = [...ignored].filter((name) => !entries.has(name) && !withheld.has(name));
  const found = names.map((name) => joinBytePath(folder, name));
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

/** Tells that a path is left out; of a file also its size, and when it was changed. */
export function leftOut(path: BytePath, reason: LeftOut["reason"], file?: Pick<Stats, "size" | "mtimeMs">): LeftOut {
  const told = file ? { sizeBytes: file.size, changedAt: isoTime(file.mtimeMs) } : { sizeBytes: 0 };
  return { path: toText(path), reason, ...told };
}

/** What the built-in rules leave out of a tree, as it is in the directory now. */
export function listWithheld(root: BytePath, tree: FolderNode): readonly LeftOut[] {
  return withheldBelow(tree).flatMap(([path, why]) => {
    const stats = tryLookAt(toSystemPath(`${root}/${path}`));
    if (stats === undefined) return [];
    return [leftOut(path, why, stats.isFile() ? stats : undefined)];
  });
}

/** What is tracked or asked for is in the tree all the same, and not left out. */
const withheldBelow: (folder: FolderNode) => readonly (readonly [BytePath, Withholding])[] = remembered((folder) => {
  const found = [...folder.withheld].filter(([name]) => !folder.entries.has(name));
  for (const [name, node] of folder.entries) {
    if (node.kind !== "folder") continue;
    for (const [path, why] of withheldBelow(node)) found.push([joinBytePath(name, path), why]);
  }
  return found;
});
