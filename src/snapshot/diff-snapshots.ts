import { defined } from "../core/internal.ts";
import { type BytePath, bytesUnlessText, MOST_LISTING_BYTES, runGit, toldPath, toText } from "../git/index.ts";
import { compareFiles, type Difference, type Listing, listPair } from "./listing.ts";
import { readPlainTree } from "./plain-tree.ts";
import type { SnapshotReader } from "./snapshot-reader.ts";
import type { FileChange, FileState, SnapshotId } from "./snapshot-store.ts";

export async function diffSnapshots(reader: SnapshotReader, from: string, to: string): Promise<readonly FileChange[]> {
  const before = await readPlainTree(reader, from);
  const { from: left, to: right } = listPair(before, await readPlainTree(reader, to, before));
  return await diffListings(reader, left, right);
}

/** Tells what differs between two trees of the store; git finds the renames. */
export async function diffListings(reader: SnapshotReader, before: Listing, after: Listing) {
  const differences = new Map(compareFiles(before, after).map((difference) => [difference.path, difference]));
  const changes: [BytePath, FileChange][] = [];
  const mayRename = [...differences.values()].some((difference) => !difference.after);
  for (const rename of mayRename ? await findRenames(reader, before.tree, after.tree) : []) {
    const [gone, made] = [differences.get(rename.from), differences.get(rename.to)];
    if (!gone?.before || gone.after || !made?.after || made.before) continue;
    differences.delete(rename.from);
    differences.delete(rename.to);
    changes.push([rename.to, renamed(rename, gone.before, made.after)]);
  }
  const others = [...differences.values(), ...compareFolders(before, after)];
  for (const difference of others) changes.push([difference.path, toChange(difference)]);
  return changes.toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, change]) => change);
}

/** The id of the tree without entries, which every git knows. */
export const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

interface Rename {
  readonly from: BytePath;
  readonly to: BytePath;
  readonly similarity: number;
}

/** The files that another tree has under another name. */
export async function findRenames(
  { repository: { gitDirectory } }: SnapshotReader,
  from: string = EMPTY_TREE,
  to: string = EMPTY_TREE,
): Promise<readonly Rename[]> {
  if (from === to || from === EMPTY_TREE || to === EMPTY_TREE) return [];
  const args = ["diff-tree", "-r", "-z", "--raw", "-M", "--diff-filter=R", "--no-ext-diff", from, to];
  const output = await runGit({ gitDirectory, args, mostOutputBytes: MOST_LISTING_BYTES });
  const fields = output.toString("latin1").split("\0");
  const renames: Rename[] = [];
  for (let index = 0; index + 2 < fields.length; index += 3) {
    const [head = "", source = "", target = ""] = fields.slice(index, index + 3);
    renames.push({ from: source, to: target, similarity: Number(head.slice(head.lastIndexOf("R") + 1)) });
  }
  return renames;
}

/** Folders count where they are empty on the one side and not there on the other, and where their mode differs. */
function compareFolders(from: Listing, to: Listing): readonly Difference[] {
  const state = (listing: Listing, path: BytePath): FileState | undefined => {
    const mode = listing.folders.get(path);
    return mode === undefined ? undefined : { kind: "directory", mode };
  };
  const differences: Difference[] = [];
  for (const path of new Set([...from.folders.keys(), ...to.folders.keys()])) {
    const [before, after] = [state(from, path), state(to, path)];
    if (before?.mode === after?.mode) continue;
    if ((before && after) || (before ? from : to).emptyFolders.has(path)) differences.push({ path, before, after });
  }
  return differences;
}

function toChange({ path, before, after }: Difference): FileChange {
  const name = toldPath(path);
  if (before && after) return { type: "modified", ...name, before, after };
  if (after) return { type: "created", ...name, after };
  return { type: "deleted", ...name, before: before as FileState };
}

function renamed({ from, to, similarity }: Rename, before: FileState, after: FileState): FileChange {
  const source = { from: toText(from), ...defined({ fromBytes: bytesUnlessText(from) }) };
  return { type: "renamed", ...toldPath(to), ...source, similarity, before, after };
}

/** How many files a change made, altered and removed. A renamed one counts as removed and made. */
export type ChangeCounts = Readonly<Record<"created" | "modified" | "deleted", number>>;

/** Counts what differs between many pairs of snapshots, by one git for all of them. */
export async function countChanges(
  gitDirectory: string,
  pairs: readonly (readonly [SnapshotId, SnapshotId])[],
): Promise<readonly ChangeCounts[]> {
  const args = ["diff-tree", "--stdin", "-r", "--name-status", "--no-renames", "-z"];
  const input = pairs.map(([from, to]) => `${from} ${to}`);
  const output = (await runGit({ gitDirectory, args, input, mostOutputBytes: MOST_LISTING_BYTES })).toString("latin1");
  const parts = output.split(/[0-9a-f]{40} [0-9a-f]{40}\n/u).slice(1);
  return pairs.map((_, index) => count(parts[index] ?? ""));
}

/** Letters and paths take turns; only what is below `files/` is the workspace's. */
function count(part: string): ChangeCounts {
  const counts = { created: 0, modified: 0, deleted: 0 };
  const fields = part.split("\0");
  for (let index = 0; index + 1 < fields.length; index += 2) {
    if (!fields[index + 1]?.startsWith("files/")) continue;
    if (fields[index] === "A") counts.created += 1;
    else if (fields[index] === "D") counts.deleted += 1;
    else counts.modified += 1;
  }
  return counts;
}
