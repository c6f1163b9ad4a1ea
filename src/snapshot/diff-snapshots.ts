import { bytesUnlessText, toldPath, toText, type BytePath, MOST_LISTING_BYTES, runGit } from "../git/index.ts";
import { compareFiles, type Difference, type Listing } from "./listing.ts";
import type { FileChange, FileState } from "./snapshot-store.ts";
import { listSnapshot, type SnapshotReader } from "./list-snapshot.ts";
import { defined } from "../core/index.ts";

/** Tells what differs between two snapshots. */
export async function diffSnapshots(reader: SnapshotReader, from: string, to: string): Promise<readonly FileChange[]> {
  return await diffListings(reader, await listSnapshot(reader, from), await listSnapshot(reader, to));
}

/** Tells what differs between two trees of the store; git finds the renames. */
export async function diffListings(
  reader: SnapshotReader,
  before: Listing,
  after: Listing,
): Promise<readonly FileChange[]> {
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
  for (const difference of differences.values()) changes.push([difference.path, toChange(difference)]);
  for (const difference of compareFolders(before, after)) changes.push([difference.path, toChange(difference)]);
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
  { gitDirectory }: SnapshotReader,
  from: string = EMPTY_TREE,
  to: string = EMPTY_TREE,
): Promise<readonly Rename[]> {
  if (from === to || from === EMPTY_TREE || to === EMPTY_TREE) return [];
  const args = ["diff-tree", "-r", "-z", "--raw", "-M", "--diff-filter=R", "--no-ext-diff", from, to];
  const fields = (await runGit({ gitDirectory, args, mostOutputBytes: MOST_LISTING_BYTES }))
    .toString("latin1")
    .split("\0");
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
  const fromBytes = bytesUnlessText(from);
  const source = { from: toText(from), ...defined({ fromBytes }) };
  return { type: "renamed", ...toldPath(to), ...source, similarity, before, after };
}
