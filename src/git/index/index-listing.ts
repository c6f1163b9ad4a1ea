import { SkeinError } from "../../core/index.ts";
import { toText, type BytePath } from "../files/byte-path.ts";
import { isGitName } from "../refs/git-name.ts";

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

/**
 * Reads a snapshot's `git-index`. It may come from somebody else, and git checks an index that it finds less than one that
 * it makes: a path into `.git`, or entries out of order, are refused here.
 */
export function parseStoredIndex(listing: Buffer): readonly IndexEntry[] {
  const entries = readIndexListing(listing);
  const wrong = entries.find((entry, at) => !isStoredEntry(entry) || !isAfter(entry, entries[at - 1]));
  if (!wrong) return entries;
  throw new SkeinError(
    `A snapshot's git-index has an entry that git does not make: ${JSON.stringify(toText(wrong.path))}`,
    {
      kind: "policy",
      target: toText(wrong.path),
      hint: "It was not made by Skein; nothing was changed",
    },
  );
}

/** Whether an entry is one that a snapshot holds. */
export function isStoredEntry({ letter, mode, oid, stage, path }: IndexEntry): boolean {
  return (
    /^[HSMN]$/i.test(letter) &&
    /^(?:100644|100755|120000|160000)$/.test(mode) &&
    /^[0-9a-f]{40}$/.test(oid) &&
    /^[0-3]$/.test(stage) &&
    path.length <= MOST_PATH_BYTES &&
    isTreePath(path)
  );
}

const MOST_PATH_BYTES = 4096;

function isAfter({ path, stage }: IndexEntry, before: IndexEntry | undefined): boolean {
  return before === undefined || before.path < path || (before.path === path && before.stage < stage);
}

/** Reads what `git ls-files --stage -v -z` writes, with one letter more. */
export function readIndexListing(listing: Buffer): readonly IndexEntry[] {
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

/** Whether a listing may hold an entry that no snapshot holds, which only a forged index has. */
export function mayHaveForgedEntries(listing: Buffer): boolean {
  const text = listing.toString("latin1");
  return FORGED_PATH.test(text) || FORGED_MODE.test(text);
}

/** Names with characters that HFS+ passes over are looked at more closely too. */
const FORGED_PATH = /\.[^/\0]*(?:\xe2[\x80\x81]|\xef\xbb)|[\t/](?:\.git|\.\.?|)[/\0]|[^\0]{4096}/i;
const FORGED_MODE = /(?:^|\0)[^\0] (?!100644|100755|120000|160000)/;

/** Whether a path stays in the work tree and out of any `.git`. */
export function isTreePath(path: BytePath): boolean {
  return !path.split("/").some((name) => /^\.{0,2}$/.test(name) || isGitName(name));
}
