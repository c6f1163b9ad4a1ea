import { chmodSync, mkdirSync, readdirSync, rmdirSync, unlinkSync } from "node:fs";
import { mkdir, readdir, realpath, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { checkTextPath, privateView, SkeinError } from "../../core/internal.ts";
import { type BytePath, toBytePath, toSystemPath, toText } from "./byte-path.ts";
import { lookAt } from "./plain-files.ts";
import { errorCode, storageError } from "./storage-error.ts";

/** By which path a directory's files are read and written, whatever name it was given by; one path for one directory. */
export async function realDirectory(directory: string): Promise<string> {
  return privateView(directory) ?? checkTextPath(await realpath(directory));
}

export async function makeDirectory(directory: string): Promise<void> {
  await mkdir(checkTextPath(resolve(directory)), { recursive: true }).catch((cause: unknown) => {
    throw storageError("The directory cannot be created", directory, cause);
  });
}

/** Makes a directory where there is none, and refuses one that holds anything. Gives its real path. */
export async function emptyDirectory(place: string): Promise<string> {
  await makeDirectory(place);
  try {
    if ((await readdir(place)).length === 0) return checkTextPath(await realpath(place));
  } catch (cause) {
    throw storageError("The directory cannot be read", place, cause);
  }
  throw new SkeinError(`${place} is not empty`, {
    kind: "usage",
    target: place,
    hint: "Give an empty directory, or use restore to change one that has files",
  });
}

/** Removes a folder and all that is in it, folders too that their owner may not write to as they are. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    if (!["EACCES", "EPERM", "ENOTEMPTY"].includes(errorCode(error))) throw error;
    openFolders(toBytePath(path));
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
  }
}

function openFolders(path: BytePath): void {
  const stats = lookAt(toSystemPath(path));
  if (!stats?.isDirectory()) return;
  if ((stats.mode & 0o700) !== 0o700) chmodSync(toSystemPath(path), 0o700);
  for (const name of readdirSync(toSystemPath(path), { encoding: "latin1" })) openFolders(`${path}/${name}`);
}

/** Leads one piece of work into folders below a root, and only into real ones: a link in a folder's place is never followed. */
export function createFolderGuard(root: BytePath) {
  const real = new Set<BytePath>();
  /** Folders whose mode was changed so that they could be worked in. */
  const opened = new Set<BytePath>();
  const at = (path: BytePath): string | Buffer => toSystemPath(`${root}/${path}`);
  const isReal = (folder: BytePath): boolean => {
    if (real.has(folder)) return true;
    if (!enter(folder)) return false;
    const stats = lookAt(at(folder));
    if (!stats?.isDirectory()) return false;
    if ((stats.mode & 0o700) !== 0o700) {
      chmodSync(at(folder), (stats.mode & 0o7777) | 0o700);
      opened.add(folder);
    }
    real.add(folder);
    return true;
  };
  /** Whether all folders above a path are real; those that may not be written to are made so. */
  const enter = (path: BytePath): boolean => {
    const above = path.lastIndexOf("/");
    return above === -1 || isReal(path.slice(0, above));
  };
  return {
    opened,
    enter,
    /** Makes a folder, in the place of a link, a pipe or a file where one stands there. */
    make(folder: BytePath): void {
      if (!enter(folder)) {
        throw new SkeinError(`The folder of ${toText(folder)} was replaced while it was being restored`, {
          kind: "filesystem",
          target: toText(folder),
          hint: "Stop whatever is writing to the workspace and restore again",
        });
      }
      const stats = lookAt(at(folder));
      if (stats?.isDirectory()) return;
      if (stats) unlinkSync(at(folder));
      mkdirSync(at(folder), 0o700);
    },
    /** Removes a folder; false where something is left in it. */
    remove(folder: BytePath): boolean {
      if (!isReal(folder)) return true;
      try {
        rmdirSync(at(folder));
        real.delete(folder);
        return true;
      } catch (error) {
        if (["ENOTEMPTY", "EEXIST", "EBUSY"].includes(errorCode(error))) return false;
        throw error;
      }
    },
  };
}

/** Sets who may read, write and enter a folder; one that gives its group to what is made in it goes on doing so. */
export function chmodFolder(path: string | Buffer, mode: number): void {
  chmodSync(path, ((lookAt(path)?.mode ?? 0) & 0o3000) | mode);
}
