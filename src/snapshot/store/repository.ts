import { appendFile, chmod, readdir, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import {
  checkTextPath,
  type Clock,
  createId,
  dataHome,
  isoTime,
  refusePlugAndPlay,
  SkeinError,
  systemClock,
} from "../../core/internal.ts";
import { takeLock } from "../../database/index.ts";
import { errorCode, lookAt, makeFolder, runGit, storageError, syncFolder, syncTree } from "../../git/index.ts";
import {
  hasStore,
  noteMarks,
  pathSetting,
  readWorkspaceFile,
  withMarks,
  workspaceKey,
  writeWorkspaceFile,
} from "./workspace-file.ts";

/** The place on disk that belongs to one workspace, and to the branches that were made from it. */
export interface Repository {
  readonly home: string;
  readonly gitDirectory: string;
  /** By its real path, as all directories here. */
  readonly workspace: string;
  /** Which branch of the workspace was opened; none where it was the workspace itself. */
  readonly branch?: string;
}

export type StorePlace = Pick<Repository, "home" | "gitDirectory">;

/** Finds a workspace's place below Skein's home, and makes it where there is none yet. */
export async function openRepository(
  workspace: string,
  { home = dataHome(), clock = systemClock }: { readonly home?: string | undefined; readonly clock?: Clock } = {},
): Promise<Repository> {
  const real = await realpath(workspace).catch((cause: unknown) => {
    throw storageError("The workspace cannot be opened", workspace, cause);
  });
  const path = checkTextPath(real);
  if (path === (await realpath(home).catch(() => resolve(home)))) {
    throw new SkeinError(`${path} is where Skein keeps its data, and cannot be a workspace`, {
      kind: "usage",
      target: path,
      hint: "Work in another directory, or set SKEIN_HOME to a folder outside this one",
    });
  }
  refusePlugAndPlay();
  const repository = place(home, path);
  try {
    const file = await readWorkspaceFile(repository);
    if (!file) await create(repository, clock);
    else {
      await closeToOthers(repository.home);
      await noteMarks(repository.home, file);
      if (file.branchOf) return { ...place(home, file.branchOf.path), branch: file.branchOf.branch };
    }
  } catch (cause) {
    throw storageError("The snapshot store cannot be created", repository.home, cause);
  }
  return repository;
}

/** Where the store of a directory is, or would be; the workspace's where the directory is a branch. Nothing is made. */
export async function storeOf(realPath: string, home: string = dataHome()): Promise<Repository> {
  const own = place(home, realPath);
  const file = await readWorkspaceFile(own).catch(() => undefined);
  return file?.branchOf ? place(home, file.branchOf.path) : own;
}

/** A folder that an older version left open to other users of the machine is closed: all that is in it is then out of their reach. */
async function closeToOthers(home: string): Promise<void> {
  const { mode } = await stat(home);
  if ((mode & 0o077) !== 0) await chmod(home, 0o700);
}

/** Notes that a directory is a branch of a workspace: opening it then opens the workspace's store. */
export async function registerBranch(directory: string, note: BranchNote): Promise<void> {
  const { origin, branch, home = dataHome(), clock } = note;
  const path = await realpath(directory);
  const file = await withMarks({ path, createdAt: isoTime(clock.now()), branchOf: { path: origin, branch } });
  const own = place(home, path);
  const known = await readWorkspaceFile(own).catch(() => undefined);
  if (known && !known.branchOf) {
    throw new SkeinError(`${directory} is already a workspace`, {
      kind: "usage",
      target: directory,
      hint: "Give a directory where nothing is recorded yet",
    });
  }
  await makeFolder(own.home);
  await writeWorkspaceFile(own.home, file);
}

export async function forgetBranch(directory: string, home: string = dataHome()): Promise<void> {
  const note = place(home, directory);
  const file = await readWorkspaceFile(note).catch(() => undefined);
  // One whose process was killed before the note had its name has nothing else in its folder.
  const isHalf = lookAt(join(note.home, "workspace.json")) === undefined && !hasStore(note.home);
  if (file?.branchOf || isHalf) await rm(note.home, { recursive: true, force: true });
}

interface BranchNote {
  readonly origin: string;
  readonly branch: string;
  readonly home?: string | undefined;
  readonly clock: Clock;
}

export function place(home: string, realPath: string): Repository {
  return at(resolve(home, "workspaces", workspaceKey(realPath)), realPath);
}

function at(home: string, workspace: string): Repository {
  return { home, gitDirectory: join(home, "store.git"), workspace };
}

/** Made beside its place and renamed into it, so that half a repository is never met; the first of several wins. */
async function create(repository: Repository, clock: Clock): Promise<void> {
  await makeFolder(dirname(repository.home));
  await using _ = await takeLock(`${repository.home}.repair.lock`, { clock });
  if (await readWorkspaceFile(repository)) return;
  await removeHalves(repository);
  const half = at(`${repository.home}.new-${createId(clock)}`, repository.workspace);
  try {
    await makeFolder(half.gitDirectory);
    await makeFolder(join(half.gitDirectory, "objects/pack"));
    await initPrivately(half.gitDirectory);
    await appendFile(join(half.gitDirectory, "config"), pathSetting(repository.workspace));
    const file = await withMarks({ path: repository.workspace, createdAt: isoTime(clock.now()) });
    await writeWorkspaceFile(half.home, file);
    await syncTree(half.home);
    await rename(half.home, repository.home).catch(async (error: unknown) => {
      if (!isTaken(error) || (await readWorkspaceFile(repository))) throw error;
      // What is left of a store that an agent removed which nothing confined is kept, out of the way, and the new one takes its place.
      await rename(repository.home, `${repository.home}.damaged-${createId(clock)}`);
      await rename(half.home, repository.home);
    });
    await syncFolder(dirname(repository.home));
  } catch (error) {
    await rm(half.home, { recursive: true, force: true });
    if (!(isTaken(error) && (await readWorkspaceFile(repository)))) throw error;
  }
}

/** What those left who were killed while they made it; whoever holds the lock knows that nobody is at it. */
async function removeHalves({ home }: Repository): Promise<void> {
  const halves = (await readdir(dirname(home))).filter((name) => name.startsWith(`${basename(home)}.new-`));
  for (const name of halves) await rm(join(dirname(home), name), { recursive: true, force: true });
}

function isTaken(error: unknown): boolean {
  return ["ENOTEMPTY", "EEXIST"].includes(errorCode(error));
}

/** Every git that writes into the store keeps it from the eyes of others, whatever its umask: the repository's own setting says so. */
async function initPrivately(gitDirectory: string): Promise<void> {
  const init = ["init", "--quiet", "--bare", "--template=", "--object-format=sha1", "--initial-branch=main"];
  await runGit({ gitDirectory, args: init, settings: ["core.sharedRepository=0600"] });
  // Git takes whatever has this setting for a repository of several people, in which notes could not be replaced.
  await runGit({ gitDirectory, args: ["config", "--unset", "receive.denyNonFastforwards"] });
}
