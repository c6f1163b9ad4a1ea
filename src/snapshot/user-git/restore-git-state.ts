import { lstatSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SkeinError } from "../../core/internal.ts";
import {
  type EntryLooks,
  errorCode,
  findUserRepository,
  formatIndex,
  type IndexEntry,
  isPlainPath,
  lookAt,
  lookOf,
  otherWorkTreeOn,
  parseStoredIndex,
  readRef,
  realDirectory,
  runGit,
  STATE_LIMITS,
  syncFolder,
  syncPacksAndRefs,
  toBytePath,
  toSystemPath,
  type UserRepository,
  writeUnfinished,
} from "../../git/index.ts";
import type { Listing, SnapshotListing } from "../listing.ts";
import type { SnapshotReader } from "../snapshot-reader.ts";
import type { GitState } from "../snapshot-store.ts";
import { parseGitFile, type WantedGit } from "./git-file.ts";
import { giveBlobs, parseStagedTree } from "./staged-blobs.ts";

export interface GitPlan {
  readonly word: "same" | "absent" | "missing";
  /** Not there where the repository stands as it shall. */
  readonly change?: () => Promise<void>;
}

/** Compares where the user's repository stands with where a snapshot says that it stood; refuses what cannot be done. */
export async function planGitRestore(
  context: SnapshotReader,
  { directory, target, now }: { directory: string; target: SnapshotListing; now: GitState | undefined },
): Promise<GitPlan> {
  const file = target.top.get("git.json");
  if (file === undefined) return { word: "absent" };
  const root = await realDirectory(directory);
  const user = findUserRepository(root);
  if (!user || !now) return { word: "missing" };
  const { objects } = context;
  const wanted = parseGitFile(await objects.content(file, { type: "blob", mostBytes: STATE_LIMITS.smallBytes }));
  const indexId = target.top.get("git-index");
  const isSameIndex = indexId === undefined || indexId === now.indexId;
  if (isSameIndex && isSamePlace(now, wanted)) return { word: "same" };
  const index = isSameIndex
    ? undefined
    : parseStoredIndex(await objects.content(indexId, { type: "blob", mostBytes: STATE_LIMITS.partBytes }));
  const objectsTree = target.top.get("git-objects");
  if (objectsTree !== undefined) parseStagedTree(await objects.content(objectsTree));
  const change = { user, now, wanted, index, objectsTree, looksOf: createEntryLooks(root, target) };
  await checkGitTarget(change);
  return { word: "same", change: () => restoreGitState(context, change) };
}

function isSamePlace(left: WantedGit, right: WantedGit): boolean {
  return isSameHead(left, right) && JSON.stringify(left.unfinished) === JSON.stringify(right.unfinished);
}

interface GitTarget {
  readonly user: UserRepository;
  readonly now: GitState;
  readonly wanted: WantedGit;
  readonly index: readonly IndexEntry[] | undefined;
  readonly objectsTree: string | undefined;
  readonly looksOf: EntryLooks;
}

/** Runs no program of the repository's. Where a branch is moved away from a commit, `refs/skein/kept/` holds that. */
async function restoreGitState(context: SnapshotReader, target: GitTarget): Promise<void> {
  const { user, wanted, index, objectsTree, looksOf } = target;
  // Once more: writing the files took its time.
  await checkGitTarget(target);
  await restoreHead(target);
  if (index !== undefined) {
    if (objectsTree !== undefined) await giveBlobs(context, user.commonDirectory, objectsTree);
    await restoreIndex(user, formatIndex(index, looksOf));
  }
  writeUnfinished(user.gitDirectory, wanted.unfinished);
  await syncFolder(user.gitDirectory);
  await syncPacksAndRefs(user.commonDirectory, wanted.branch === undefined ? "refs" : dirname(wanted.branch));
}

/** Refuses what could not be put back, or not without writing through a link, before anything is changed. */
async function checkGitTarget({ user, now, wanted, index }: GitTarget): Promise<void> {
  if (index !== undefined) checkPlain(user, ["index", "index.lock"]);
  if (isSameHead(now, wanted)) return;
  const { branch, head } = wanted;
  const moved = branch === undefined ? ["HEAD"] : ["HEAD", branch];
  const files = moved.flatMap((ref) => [ref, `${ref}.lock`, `logs/${ref}`]);
  checkPlain(user, [...files, "packed-refs", "packed-refs.lock", "refs/skein", "refs/skein/kept"]);
  if (head !== undefined) await checkCommit(user, head);
  checkBranchIsFree(user, wanted);
}

/** Git itself moves no branch away from under another work tree: what is in it would look changed. */
function checkBranchIsFree(user: UserRepository, { branch, head }: WantedGit): void {
  if (branch === undefined || readRef(user, branch) === head) return;
  const other = otherWorkTreeOn(user, branch);
  if (other === undefined) return;
  throw new SkeinError(`${branch} would have to move, but is checked out in ${other}`, {
    kind: "filesystem",
    target: branch,
    hint: "Switch that work tree to another branch, or remove it, and try again; nothing was changed",
  });
}

async function restoreHead({ user, now, wanted }: GitTarget): Promise<void> {
  if (isSameHead(now, wanted)) return;
  const git = (...args: string[]): Promise<Buffer> => runGit({ gitDirectory: user.gitDirectory, args });
  const keep = async (commit: string | undefined): Promise<void> => {
    if (commit !== undefined) await git("update-ref", `refs/skein/kept/${commit}`, commit);
  };
  if (wanted.branch === undefined) {
    await keep(now.head);
    if (wanted.head !== undefined) await git("update-ref", "--no-deref", "-m", REASON, "HEAD", wanted.head);
    return;
  }
  const tip = readRef(user, wanted.branch);
  if (now.detached) await keep(now.head);
  if (tip !== wanted.head) {
    await keep(tip);
    const change = wanted.head === undefined ? ["-d", wanted.branch] : [wanted.branch, wanted.head];
    await git("update-ref", "-m", REASON, ...change, ...(tip === undefined ? [] : [tip]));
  }
  await git("symbolic-ref", "-m", REASON, "HEAD", wanted.branch);
}

function isSameHead(now: WantedGit, wanted: WantedGit): boolean {
  return now.head === wanted.head && now.branch === wanted.branch;
}

const REASON = "skein: restore";

async function checkCommit({ gitDirectory }: UserRepository, commit: string): Promise<void> {
  await runGit({ gitDirectory, args: ["cat-file", "-e", `${commit}^{commit}`] }).catch((cause: unknown) => {
    throw new SkeinError(`The commit ${commit} is no longer in the repository`, {
      kind: "filesystem",
      target: commit,
      cause,
      hint: "Garbage collection removed it; the files can still be restored with materialise",
    });
  });
}

async function restoreIndex(user: UserRepository, content: Buffer): Promise<void> {
  const lock = join(user.gitDirectory, "index.lock");
  const held = await open(lock, "wx").catch((cause: unknown) => {
    if (errorCode(cause) !== "EEXIST") throw cause;
    throw new SkeinError("Another git is running in the workspace's repository", {
      kind: "filesystem",
      target: lock,
      retryable: true,
      hint: "Wait for it, or remove the lock file if no git is running",
    });
  });
  try {
    await held.writeFile(content);
    await held.datasync();
    await held.close();
    await rename(lock, join(user.gitDirectory, "index"));
  } catch (error) {
    await held.close().catch(() => undefined);
    await rm(lock, { force: true });
    throw error;
  }
}

/** Only files and folders are written to: git would follow a link, and wait at a pipe. */
function checkPlain({ gitDirectory, commonDirectory }: UserRepository, paths: readonly string[]): void {
  for (const path of paths) {
    const isPlain = [gitDirectory, commonDirectory].every((folder) => {
      const stats = isPlainPath(folder, path) ? lookAt(join(folder, path)) : null;
      return stats === undefined || stats?.isFile() || stats?.isDirectory();
    });
    if (isPlain) continue;
    throw new SkeinError(`${path} in the workspace's repository is a link or a pipe, or is reached through a link`, {
      kind: "filesystem",
      target: path,
      hint: "Skein writes only to real files of the repository; put a real one in its place",
    });
  }
}

/** A file with an index entry's very content, as it looks now, need not be read again by the first `git status`. */
function createEntryLooks(directory: string, { files }: Pick<Listing, "files">): EntryLooks {
  const folder = toBytePath(directory);
  return ({ path, oid, stage }) => {
    if (stage !== "0" || files.get(path)?.contentId !== oid) return undefined;
    const stats = lstatSync(toSystemPath(`${folder}/${path}`), { bigint: true, throwIfNoEntry: false });
    return stats && lookOf(stats);
  };
}
