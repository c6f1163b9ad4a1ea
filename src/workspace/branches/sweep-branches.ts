import { readdir, readFile, realpath, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import {
  branchFolder,
  branchPlace,
  isOverlay,
  listBranchRecords,
  removeBranchRecord,
  sweepHalfRecords,
  type BranchesHome,
  type BranchRecord,
} from "./branch-record.ts";
import { BRANCHES } from "../states/list-states.ts";
import { forgetMemory, removeTree, forgetBranch } from "../../snapshot/index.ts";
import { isMounted, unmountOverlay } from "./overlay-mount.ts";

/**
 * Removes what processes that are gone left of their branches: mounts, folders, notes. Gives how many branches there still
 * are. One in which a turn was cut off stays as long as its files are there: who keeps journals records that turn first.
 */
export async function sweepBranches(store: BranchesHome): Promise<number> {
  await sweepHalfRecords(store);
  let count = 0;
  for (const { record, isLive } of await listBranchRecords(store)) {
    if (isLive || (await isAwaited(store, record))) count += 1;
    else await removeBranch(store, record.id);
  }
  return count;
}

/** Removes all of a branch but its states, its record last: whatever stops it, the next sweep finds what is left. */
export async function removeBranch(store: BranchesHome, id: string): Promise<void> {
  const folder = branchFolder(store, id);
  const real = await realpath(folder).catch(() => folder);
  await unmountOverlay(real);
  await removeTree(real);
  for (const kind of ["overlay", "copy"] as const) {
    const place = branchPlace({ ...store, home: resolve(real, "../..") }, { id, kind });
    await forgetBranch(place, resolve(store.home, "../.."));
    await forgetMemory(store, place);
  }
  // The refs of branches stay files of their own.
  await rm(join(store.gitDirectory, BRANCHES, id), { force: true });
  await removeBranchRecord(store, id);
}

/** Whether a turn was cut off in a branch whose files can still be read: an overlay without its mount is an empty folder. */
async function isAwaited(store: BranchesHome, record: BranchRecord): Promise<boolean> {
  const place = branchPlace(store, record);
  if (isOverlay(record.kind) && !(await isMounted(place))) return false;
  const folder = join(store.home, "journals");
  for (const name of await readdir(folder).catch(() => [])) {
    const text = await readFile(join(folder, name), "utf8").catch(() => "");
    if (text.includes(JSON.stringify(place))) return true;
  }
  return false;
}
