import { createEntryStats } from "../scan/entry-stats.ts";
import { parseGitFile } from "./git-file.ts";
import { parseStagedTree } from "./give-blobs.ts";
import { parseStoredIndex, realDirectory, STATE_LIMITS, findUserRepository } from "../../git/index.ts";
import type { SnapshotListing } from "../list-snapshot.ts";
import { checkGitTarget, restoreGitState, type GitRestoreContext } from "./restore-git-state.ts";
import type { GitState } from "../snapshot-store.ts";

/** What a restore has to do to the user's repository. */
export interface GitPlan {
  readonly word: "same" | "absent" | "missing";
  /** Not there where the repository stands as it shall. */
  readonly change?: () => Promise<void>;
}

/** Compares where the user's repository stands with where a snapshot says that it stood; refuses what cannot be done. */
export async function planGitRestore(
  context: GitRestoreContext,
  { directory, target, now }: { directory: string; target: SnapshotListing; now: GitState | undefined },
): Promise<GitPlan> {
  const file = target.top.get("git.json");
  const root = await realDirectory(directory);
  const user = findUserRepository(root);
  if (file === undefined) return { word: "absent" };
  if (!user || !now) return { word: "missing" };
  const wanted = parseGitFile(
    await context.objects.content(file, { type: "blob", mostBytes: STATE_LIMITS.smallBytes }),
  );
  const indexId = target.top.get("git-index");
  const isSameIndex = indexId === undefined || indexId === now.indexId;
  if (isSameIndex && isSamePlace(now, wanted)) return { word: "same" };
  const index = isSameIndex
    ? undefined
    : parseStoredIndex(await context.objects.content(indexId, { type: "blob", mostBytes: STATE_LIMITS.partBytes }));
  const objectsTree = target.top.get("git-objects");
  if (objectsTree !== undefined) parseStagedTree(await context.objects.content(objectsTree));
  const statsOf = createEntryStats(root, target);
  const change = { user, now, wanted, index, objectsTree, statsOf };
  await checkGitTarget(change);
  return { word: "same", change: () => restoreGitState(context, change) };
}

function isSamePlace(left: Omit<GitState, "indexId">, right: Omit<GitState, "indexId">): boolean {
  const place = ({ head, branch, unfinished }: typeof left): string => JSON.stringify([head, branch, unfinished]);
  return place(left) === place(right);
}
