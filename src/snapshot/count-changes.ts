import { MOST_LISTING_BYTES, runGit } from "../git/index.ts";
import type { SnapshotId } from "./snapshot-store.ts";

/** How many files a change made, altered and removed. A renamed one counts as removed and made. */
export interface ChangeCounts {
  readonly created: number;
  readonly modified: number;
  readonly deleted: number;
}

/** Counts what differs between many pairs of snapshots, by one git for all of them. */
export async function countChanges(
  gitDirectory: string,
  pairs: readonly (readonly [SnapshotId, SnapshotId])[],
): Promise<readonly ChangeCounts[]> {
  const args = ["diff-tree", "--stdin", "-r", "--name-status", "--no-renames", "-z"];
  const input = pairs.map(([from, to]) => `${from} ${to}\n`).join("");
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
