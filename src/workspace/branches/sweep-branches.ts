import { readdir, readFile, realpath, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { removeTree } from "../../git/index.ts";
import { forgetBranch, forgetMemory, type StorePlace } from "../../snapshot/index.ts";
import { BRANCHES } from "../states/state-refs.ts";
import {
  branchFolder,
  branchPlace,
  type BranchRecord,
  isOverlay,
  listBranchRecords,
  sweepHalfRecords,
} from "./branch-record.ts";
import { isMounted, unmountOverlay } from "./overlay.ts";

/** Gives how many branches there still are. One in which a turn was cut off stays while its files are there: who keeps journals records it first. */
export async function sweepBranches(store: StorePlace): Promise<number> {
  await sweepHalfRecords(store);
  let count = 0;
  for (const { record, isLive } of await listBranchRecords(store)) {
    if (isLive || (await isAwaited(store, record))) count += 1;
    else await removeBranch(store, record.id);
  }
  return count;
}

/** Removes all of a branch but its states, its record last: whatever stops it, the next sweep finds what is left. */
export async function removeBranch(store: StorePlace, id: string): Promise<void> {
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
  await rm(`${folder}.json`, { force: true });
}

/** Whether a turn was cut off in a branch whose files can still be read: an overlay without its mount is an empty folder. */
async function isAwaited(store: StorePlace, record: BranchRecord): Promise<boolean> {
  const place = branchPlace(store, record);
  if (isOverlay(record.kind) && !(await isMounted(place))) return false;
  const folder = join(store.home, "journals");
  for (const name of await readdir(folder).catch(() => [])) {
    const text = await readFile(join(folder, name), "utf8").catch(() => "");
    if (text.includes(JSON.stringify(place))) return true;
  }
  return false;
}

/** The directories of branches whose process is gone without having removed them, and in which a turn was cut off. */
export async function orphanBranches(store: StorePlace): Promise<readonly string[]> {
  // What cannot be read any more is not worth a look, and would look empty.
  await sweepBranches(store);
  const records = await listBranchRecords(store);
  return records.filter(({ isLive }) => !isLive).map(({ record }) => branchPlace(store, record));
}

export async function removeOwned(path: string): Promise<void> {
  await removeBranch(...ownerOf(path));
}

export async function isOrphan(path: string): Promise<boolean> {
  const [store, id] = ownerOf(path);
  const found = (await listBranchRecords(store)).find(({ record }) => record.id === id);
  return found !== undefined && !found.isLive && path === branchPlace(store, found.record);
}

/** A branch's directory lies in its folder, which is named for it. */
function ownerOf(path: string): [store: StorePlace, id: string] {
  const home = resolve(path, "../../..");
  return [{ home, gitDirectory: join(home, "store.git") }, basename(dirname(path))];
}
