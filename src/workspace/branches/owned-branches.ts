import { basename, dirname, join } from "node:path";
import { branchPlace, listBranchRecords, type BranchesHome } from "./branch-record.ts";
import { removeBranch, sweepBranches } from "./sweep-branches.ts";

/** The directories of branches whose process is gone without having removed them, and in which a turn was cut off. */
export async function orphanBranches(store: BranchesHome): Promise<readonly string[]> {
  // What cannot be read any more is not worth a look, and would look empty.
  await sweepBranches(store);
  const records = await listBranchRecords(store);
  return records.filter(({ isLive }) => !isLive).map(({ record }) => branchPlace(store, record));
}

/** Removes a branch by its directory, its states excepted. */
export async function removeOwned(path: string): Promise<void> {
  await removeBranch(storeOf(path), idOf(path));
}

/** Whether a directory is that of a branch whose process is gone. */
export async function isOrphan(path: string): Promise<boolean> {
  const records = await listBranchRecords(storeOf(path));
  const record = records.find((each) => each.record.id === idOf(path));
  return record !== undefined && !record.isLive && path === branchPlace(storeOf(path), record.record);
}

/** A branch's directory lies in its folder, which is named for it. */
function idOf(path: string): string {
  return basename(dirname(path));
}

function storeOf(path: string): BranchesHome {
  const home = dirname(dirname(dirname(path)));
  return { home, gitDirectory: join(home, "store.git") };
}
