import { createHash } from "node:crypto";
import { chmod, mkdir, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { z } from "zod";
import {
  type Clock,
  createId,
  dataHome,
  isoTime,
  PRIVATE_FILE,
  PRIVATE_FOLDER,
  SkeinError,
  systemClock,
} from "../core/index.ts";
import { runGit } from "./run-git.ts";
import { errorCode, storageError } from "./storage-error.ts";
import { tryJson } from "./stored/try-json.ts";

/** The place on disk that belongs to one workspace, and to the branches that were made from it. */
export interface Repository {
  /** The folder of everything that is kept for the workspace. */
  readonly home: string;
  /** The bare git repository in it. */
  readonly gitDirectory: string;
  /** The workspace's real path. */
  readonly workspace: string;
  /** Which branch of the workspace was opened; none where it was the workspace itself. */
  readonly branch?: string;
}

/** Finds a workspace's place below Skein's home, and makes it where there is none yet. */
export async function openRepository(
  workspace: string,
  { home = dataHome(), clock = systemClock }: { readonly home?: string | undefined; readonly clock?: Clock } = {},
): Promise<Repository> {
  const path = await realpath(workspace).catch((cause: unknown) => {
    throw storageError("The workspace cannot be opened", workspace, cause);
  });
  if (path === (await realpath(home).catch(() => resolve(home)))) throw isDataFolder(path);
  const repository = place(home, path);
  try {
    const file = await readWorkspaceFile(repository);
    if (file) await closeToOthers(repository.home);
    if (file?.branchOf) return { ...place(home, file.branchOf.path), branch: file.branchOf.branch };
    if (!file) await create(repository, clock);
  } catch (cause) {
    throw storageError("The snapshot store cannot be made", repository.home, cause);
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

function isDataFolder(path: string): SkeinError {
  return new SkeinError(`${path} is the folder in which Skein keeps its data, and cannot be a workspace`, {
    kind: "usage",
    target: path,
    hint: "Work in another directory, or set SKEIN_HOME to a folder outside of this one",
  });
}

/** Notes that a directory is a branch of a workspace: opening it then opens the workspace's store. */
export async function registerBranch(
  directory: string,
  { origin, branch, home = dataHome(), clock }: BranchNote,
): Promise<void> {
  const path = await realpath(directory);
  const file = { version: 1, path, createdAt: isoTime(clock.now()), branchOf: { path: origin, branch } };
  const note = place(home, path);
  const known = await readWorkspaceFile(note).catch(() => undefined);
  if (known && !known.branchOf) {
    throw new SkeinError(`${directory} is a workspace of its own already`, {
      kind: "usage",
      target: directory,
      hint: "Give a directory in which nothing was recorded yet",
    });
  }
  await mkdir(note.home, PRIVATE_FOLDER);
  await writeFile(join(note.home, "workspace.json"), `${JSON.stringify(file, null, 2)}\n`, {
    mode: PRIVATE_FILE,
  });
}

/** Forgets a branch that is gone. */
export async function forgetBranch(directory: string, home: string = dataHome()): Promise<void> {
  const note = place(home, directory);
  const file = await readWorkspaceFile(note).catch(() => undefined);
  if (file?.branchOf) await rm(note.home, { recursive: true, force: true });
}

/** What is noted of a branch. */
export interface BranchNote {
  /** The workspace's real path. */
  readonly origin: string;
  /** The branch's own name in the store. */
  readonly branch: string;
  readonly home?: string | undefined;
  readonly clock: Clock;
}

/** The name of a workspace's folder: readable, and never the same for two paths. */
function workspaceKey(realPath: string): string {
  const name =
    basename(realPath)
      .replaceAll(/[^A-Za-z0-9._-]/g, "-")
      .slice(0, 40) || "root";
  return `${name.replace(/^\.+/, "")}-${createHash("sha256").update(realPath).digest("hex").slice(0, 16)}`;
}

const WorkspaceFile = z.strictObject({
  version: z.literal(1),
  path: z.string(),
  createdAt: z.string(),
  branchOf: z.strictObject({ path: z.string(), branch: z.string() }).optional(),
});

function place(home: string, realPath: string): Repository {
  return at(resolve(home, "workspaces", workspaceKey(realPath)), realPath);
}

function at(home: string, workspace: string): Repository {
  return { home, gitDirectory: join(home, "store.git"), workspace };
}

/** What a folder below the data folder says of the workspace that it is for; undefined where it says nothing that can be read. */
export async function readDescription(home: string): Promise<z.infer<typeof WorkspaceFile> | undefined> {
  const text = await readFile(join(home, "workspace.json"), "utf8").catch(() => "");
  return WorkspaceFile.safeParse(tryJson(text)).data;
}

async function readWorkspaceFile({ home, workspace }: Repository): Promise<z.infer<typeof WorkspaceFile> | undefined> {
  const path = join(home, "workspace.json");
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const parsed = WorkspaceFile.safeParse(tryJson(text));
  if (parsed.success && parsed.data.path === workspace) return parsed.data;
  throw new SkeinError(`${path} is not the description of ${workspace}`, {
    kind: "parse",
    target: path,
    hint: "It was written by a newer version of Skein, or is damaged; update Skein or move the folder away",
  });
}

/** Made beside its place and renamed into it, so that half a repository is never met; the first of several wins. */
async function create(repository: Repository, clock: Clock): Promise<void> {
  const half = at(`${repository.home}.new-${createId(clock)}`, repository.workspace);
  try {
    await mkdir(half.gitDirectory, PRIVATE_FOLDER);
    await initPrivately(half.gitDirectory);
    const file = { version: 1, path: repository.workspace, createdAt: isoTime(clock.now()) };
    await writeFile(join(half.home, "workspace.json"), `${JSON.stringify(file, null, 2)}\n`, {
      mode: PRIVATE_FILE,
    });
    await rename(half.home, repository.home);
  } catch (error) {
    await rm(half.home, { recursive: true, force: true });
    if (!(["ENOTEMPTY", "EEXIST"].includes(errorCode(error)) && (await readWorkspaceFile(repository)))) throw error;
  }
}

/** Every git that writes into the store keeps it from the eyes of others, whatever its umask: the repository's own setting says so. */
async function initPrivately(gitDirectory: string): Promise<void> {
  const init = ["init", "--quiet", "--bare", "--template=", "--object-format=sha1", "--initial-branch=main"];
  await runGit({ gitDirectory, args: init, settings: ["core.sharedRepository=0600"] });
  // Git takes whatever has this setting for a repository of several people, in which notes could not be replaced.
  await runGit({ gitDirectory, args: ["config", "--unset", "receive.denyNonFastforwards"] });
}
