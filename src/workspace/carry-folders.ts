import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { SkeinError } from "../core/index.ts";
import { copyFolder } from "./copy-folder.ts";
import { isTreePath } from "./index-listing.ts";
import { lookAt } from "./look-at.ts";
import { isPlainPath } from "./user-repository.ts";

/** From where to where folders are carried. */
export interface CarryPlaces {
  readonly from: string;
  readonly to: string;
  /** Which of some folders that are there the rules of the new directory leave out; the others are not carried. */
  onlyIgnored(folders: readonly string[]): Promise<readonly string[]>;
  /** Paths below the first directory that are never carried. */
  readonly without: readonly string[];
  readonly signal: AbortSignal | undefined;
}

/**
 * Copies folders that no snapshot holds, such as `node_modules`, from one directory to another. The file system shares the
 * content where it can; a hard link never does, for a write to the copy would change the original. What is there is kept.
 */
export async function carryFolders(folders: readonly string[], places: CarryPlaces): Promise<void> {
  const { from, to, signal } = places;
  const without = places.without.map((path) => join(from, path));
  const made = new Map<string, string | undefined>();
  for (const folder of folders.map((each) => each.replace(/\/+$/, ""))) {
    if (!isTreePath(folder)) throw notBelow(folder);
    const isThere = isPlainPath(from, folder) && lookAt(join(from, folder))?.isDirectory();
    if (!isThere || !isPlainPath(to, folder)) continue;
    // Rules may be for folders only, and one that is not there is none.
    made.set(folder, await mkdir(join(to, folder), { recursive: true }));
  }
  const ignored = await places.onlyIgnored([...made.keys()]);
  for (const [folder, first] of made) {
    if (ignored.includes(folder)) await copyFolder(join(from, folder), join(to, folder), { without, signal });
    else if (first !== undefined) await rm(first, { recursive: true });
  }
}

function notBelow(folder: string): SkeinError {
  return new SkeinError(`${folder} cannot be carried`, {
    kind: "usage",
    target: folder,
    hint: "Give paths of folders from the workspace's root, with slashes and without . or ..",
  });
}
