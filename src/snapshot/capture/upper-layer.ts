import { readdirSync } from "node:fs";
import { type BytePath, toBytePath, toSystemPath } from "../../git/index.ts";
import { type FolderNode, remembered } from "./tree-node.ts";

/** The upper folder of an overlay: a path that it does not hold is as it was, and what it held once it holds for good. */
export interface UpperLayer {
  /** The names that it holds in a folder; undefined where it does not hold the folder. */
  names(folder: BytePath): ReadonlySet<BytePath> | undefined;
}

/** Looks at an upper folder as one capture goes along; each folder is listed once, and only where it is asked about. */
export function createUpperLayer(upper: string): UpperLayer {
  const root = toBytePath(upper);
  const known = new Map<BytePath, ReadonlySet<BytePath> | undefined>();
  const names = (folder: BytePath): ReadonlySet<BytePath> | undefined => {
    if (known.has(folder)) return known.get(folder);
    const slash = folder.lastIndexOf("/");
    const isHeld = folder === "" || names(folder.slice(0, Math.max(slash, 0)))?.has(folder.slice(slash + 1));
    const found = isHeld ? listNames(`${root}/${folder}`) : undefined;
    known.set(folder, found);
    return found;
  };
  return { names };
}

/** A folder that went away, or that nobody may read, is held all the same; that it is empty shows in the overlay too. */
function listNames(path: BytePath): ReadonlySet<BytePath> {
  try {
    return new Set(readdirSync(toSystemPath(path), { encoding: "latin1" }));
  } catch {
    return new Set();
  }
}

/** Whether a folder holds ignored names at any depth: which of them are taken depends on more than the folder. */
export const holdsIgnored: (folder: FolderNode) => boolean = remembered(
  ({ ignored, entries }) =>
    ignored.size > 0 || [...entries.values()].some((node) => node.kind === "folder" && holdsIgnored(node)),
);
