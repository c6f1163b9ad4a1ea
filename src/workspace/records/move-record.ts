import { readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { type Clock, createId, defined, parseJson, SkeinError } from "../../core/internal.ts";
import { takeLock } from "../../database/index.ts";
import { isPlainPath, lookAt, makeFolder, readSmallFile, syncFolder, writeDurably } from "../../git/index.ts";
import {
  directoryIdentity,
  nameInStore,
  place,
  readDescription,
  type Repository,
  workspaceKey,
  writeWorkspaceFile,
} from "../../snapshot/index.ts";
import { listBranchRecords } from "../branches/branch-record.ts";
import { sweepBranches } from "../branches/sweep-branches.ts";
import { moveHalfRestore } from "../restore/half-restore.ts";
import type { FittingRecord } from "./find-records.ts";

/** The folder is renamed last, and says before whose it will be: wherever this is cut off, it is found by the new path and can be done again. */
export async function moveRecord({ home, path: old }: FittingRecord, to: Repository, clock: Clock): Promise<void> {
  const file = await readDescription(home);
  if (!file)
    throw new SkeinError(`${home} no longer says which workspace it belongs to`, { kind: "parse", target: home });
  const newPath = (path: string): string =>
    path === old || path.startsWith(`${old}${sep}`) ? `${to.workspace}${path.slice(old.length)}` : path;
  const { branchOf } = file;
  // A branch has only a note of its own; what was done in it is told in the workspace's record.
  const kept = branchOf ? place(join(home, "../.."), branchOf.path).home : home;
  if (!branchOf) await checkIdle(home);
  const lock = branchOf ? undefined : await takeLock(join(home, "write.lock"), { clock });
  try {
    const identity = await directoryIdentity(to.workspace);
    await writeWorkspaceFile(home, { ...file, path: to.workspace, movedFrom: old, ...defined({ identity }) });
    if (!branchOf) await nameInStore(join(home, "store.git"), to.workspace);
    if (!branchOf) await moveBranchNotes(dirname(home), { old, newPath });
    await moveJournals(join(kept, "journals"), newPath);
    await moveHalfRestore({ home: kept }, newPath);
    // Goes by the path, and is made again.
    if (!branchOf) for (const name of ["memory", "index"]) await rm(join(home, name), { recursive: true, force: true });
    await putInPlace(home, to.home, clock);
  } finally {
    // Who lets go of a lock removes its file, which was moved.
    for (const name of ["write.lock", "write.lock.holder"]) await rm(join(to.home, name), { force: true });
    await lock?.[Symbol.asyncDispose]();
  }
}

/** Branches that searches made lie in the record's own folder, and know where that is. */
async function checkIdle(home: string): Promise<void> {
  const store = { home, gitDirectory: join(home, "store.git") };
  await sweepBranches(store);
  const records = await listBranchRecords(store);
  if (records.length === 0) return;
  const isLive = records.some((each) => each.isLive);
  throw new SkeinError("A search of the workspace is running, or was cut off in the middle of a turn", {
    kind: "workspace_busy",
    target: home,
    retryable: isLive,
    hint: isLive
      ? "Wait until it ends"
      : "Move the directory back, run skein recover --keep or --undo there, and move it again",
  });
}

/** Each branch says whose it is; one that lay in the workspace was moved with it. */
async function moveBranchNotes(
  workspaces: string,
  { old, newPath }: { readonly old: string; newPath(path: string): string },
): Promise<void> {
  for (const name of await readdir(workspaces)) {
    const file = await readDescription(join(workspaces, name));
    if (file?.branchOf?.path !== old) continue;
    const moved = { ...file, path: newPath(file.path), branchOf: { ...file.branchOf, path: newPath(old) } };
    const folder = join(workspaces, workspaceKey(moved.path));
    await makeFolder(folder);
    await mendBorrowing(moved.path, newPath);
    await writeWorkspaceFile(folder, moved);
    if (moved.path !== file.path) await rm(join(workspaces, name), { recursive: true, force: true });
  }
}

/** The first line of a journal says in which directory its turn ran. */
async function moveJournals(folder: string, newPath: (path: string) => string): Promise<void> {
  for (const name of (await readdir(folder).catch(() => [])).filter((each) => each.endsWith(".jsonl"))) {
    const text = await readFile(join(folder, name), "utf8");
    const end = text.indexOf("\n");
    const head = parseJson(text.slice(0, Math.max(end, 0))) as { readonly directory?: unknown } | undefined;
    if (typeof head?.directory !== "string" || newPath(head.directory) === head.directory) continue;
    const moved = JSON.stringify({ ...head, directory: newPath(head.directory) });
    await writeDurably(join(folder, name), `${moved}${text.slice(end)}`);
  }
}

/** An empty record that a command made there when it looked is set aside first, and then removed. */
async function putInPlace(from: string, to: string, clock: Clock): Promise<void> {
  const aside = `${to}.replaced-${createId(clock)}`;
  const isTaken = lookAt(to) !== undefined;
  if (isTaken) await rename(to, aside);
  await rename(from, to);
  await syncFolder(dirname(to));
  if (isTaken) await rm(aside, { recursive: true, force: true });
}

const ALTERNATES = ".git/objects/info/alternates";

/** Lets the repository of a branch borrow objects from where the workspace's are now; nothing is written through a link. */
async function mendBorrowing(branch: string, newPath: (path: string) => string): Promise<void> {
  const file = join(branch, ALTERNATES);
  const text = isPlainPath(branch, ALTERNATES) ? readSmallFile(file)?.toString("utf8") : undefined;
  // A path in quotes is one that git could not read otherwise.
  const mended = text?.replaceAll(/^[^#"\n].*$/gmu, newPath);
  if (text === undefined || mended === undefined || mended === text) return;
  await writeDurably(file, mended, { mode: (lookAt(file)?.mode ?? 0o644) & 0o777 });
}
