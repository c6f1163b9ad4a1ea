import type { BytePath } from "./byte-path.ts";

/** One entry of an index, as a snapshot's `git-index` tells it. */
export interface IndexEntry {
  /** `H`, `S` for skip-worktree, `M` for unmerged, `N` for intent-to-add; small where it is assumed to be unchanged. */
  readonly letter: string;
  /** Git's mode, in octal. */
  readonly mode: string;
  readonly oid: string;
  readonly stage: string;
  readonly path: BytePath;
}

/** Reads a `git-index`, which is what `git ls-files --stage -v -z` writes, with one letter more. */
export function parseIndexListing(listing: Buffer): readonly IndexEntry[] {
  const lines = listing.toString("latin1").split("\0").slice(0, -1);
  return lines.map((line) => {
    const tab = line.indexOf("\t");
    const [letter = "", mode = "", oid = "", stage = ""] = line.slice(0, tab).split(" ");
    return { letter, mode, oid, stage, path: line.slice(tab + 1) };
  });
}

/** Writes a `git-index`. */
export function formatIndexListing(entries: readonly IndexEntry[]): Buffer {
  const lines = entries.map(({ letter, mode, oid, stage, path }) => `${letter} ${mode} ${oid} ${stage}\t${path}\0`);
  return Buffer.from(lines.join(""), "latin1");
}

/** Whether a listing may hold a path that leads out of the work tree or into a `.git`, which only a forged index has. */
export function mayHaveForgedPaths(listing: Buffer): boolean {
  return /[\t/](?:\.git|\.\.?|)[/\0]/i.test(listing.toString("latin1"));
}

/** Whether a path stays in the work tree and out of any `.git`. */
export function isTreePath(path: BytePath): boolean {
  return !/(?:^|\/)(?:\.git|\.\.?|)(?:\/|$)/i.test(path);
}
