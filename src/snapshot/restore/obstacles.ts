import { readdirSync } from "node:fs";
import { SkeinError } from "../../core/index.ts";
import { joinBytePath, toSystemPath, toText, type BytePath, lookAt } from "../../git/index.ts";
import type { Listing } from "../listing.ts";

/** Refuses a restore that would have to delete what no snapshot holds: a folder with ignored files where a file shall be. */
export function checkObstacles(root: BytePath, from: Listing, to: Listing): void {
  for (const path of to.files.keys()) {
    if (from.files.has(path) || isBelowFile(path, from)) continue;
    const stats = lookAt(toSystemPath(`${root}/${path}`));
    if (stats === undefined) continue;
    const left = stats.isDirectory() ? firstNotHeld(root, path, from) : stats.isFile() ? path : undefined;
    if (left !== undefined) throw inTheWay(left, path);
  }
}

/** What stands in a folder's place is held, and a link there must not be followed. */
function isBelowFile(path: BytePath, held: Listing): boolean {
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
    if (held.files.has(path.slice(0, end))) return true;
  }
  return false;
}

function firstNotHeld(root: BytePath, folder: BytePath, held: Listing): BytePath | undefined {
  for (const name of readdirSync(toSystemPath(`${root}/${folder}`), { encoding: "latin1" })) {
    const path = joinBytePath(folder, name);
    if (held.files.has(path)) continue;
    if (!held.folders.has(path)) return path;
    const below = firstNotHeld(root, path, held);
    if (below !== undefined) return below;
  }
  return undefined;
}

function inTheWay(left: BytePath, path: BytePath): SkeinError {
  return new SkeinError(`${toText(left)} is in the way of ${toText(path)}, and no snapshot holds it`, {
    kind: "filesystem",
    target: toText(left),
    hint: "Move it away and restore again; nothing was changed",
  });
}
