import { lstatSync } from "node:fs";
import { toBytePath, toSystemPath, type EntryStats } from "../../git/index.ts";
import type { Listing } from "../listing.ts";

/**
 * Looks at the files of a directory that was just made equal to a tree: one with an index entry's very content need not be
 * read again by the first `git status`.
 */
export function createEntryStats(directory: string, { files }: Pick<Listing, "files">): EntryStats {
  const folder = toBytePath(directory);
  return ({ path, oid, stage }) => {
    if (stage !== "0" || files.get(path)?.contentId !== oid) return undefined;
    return lstatSync(toSystemPath(`${folder}/${path}`), { bigint: true, throwIfNoEntry: false });
  };
}
