import { chmodSync, mkdirSync, rmdirSync, unlinkSync } from "node:fs";
import { toSystemPath, toText, type BytePath } from "./byte-path.ts";
import { SkeinError } from "../../core/index.ts";
import { lookAt } from "./look-at.ts";
import { errorCode } from "./storage-error.ts";

/** Leads into folders below a root, and only into real ones: a link in a folder's place is never followed. */
export interface FolderGuard {
  /** Whether all folders above a path are real; those that may not be written to are made so. */
  enter(path: BytePath): boolean;
  /** Makes a folder, in the place of a link, a pipe or a file where one stands there. */
  make(folder: BytePath): void;
  /** Removes a folder; false where something is left in it. */
  remove(folder: BytePath): boolean;
  /** Folders whose mode was changed so that they could be worked in. */
  readonly opened: ReadonlySet<BytePath>;
}

/** Makes the guard of one piece of work; it remembers which folders it has looked at. */
export function createFolderGuard(root: BytePath): FolderGuard {
  const real = new Set<BytePath>();
  const opened = new Set<BytePath>();
  const at = (path: BytePath): string | Buffer => toSystemPath(`${root}/${path}`);
  const isReal = (folder: BytePath): boolean => {
    if (real.has(folder)) return true;
    const above = folder.lastIndexOf("/");
    if (above !== -1 && !isReal(folder.slice(0, above))) return false;
    const stats = lookAt(at(folder));
    if (!stats?.isDirectory()) return false;
    if ((stats.mode & 0o700) !== 0o700) {
      chmodSync(at(folder), (stats.mode & 0o7777) | 0o700);
      opened.add(folder);
    }
    real.add(folder);
    return true;
  };
  const enter = (path: BytePath): boolean => {
    const above = path.lastIndexOf("/");
    return above === -1 || isReal(path.slice(0, above));
  };
  return {
    opened,
    enter,
    make(folder) {
      if (!enter(folder)) throw notAFolder(folder);
      const stats = lookAt(at(folder));
      if (stats?.isDirectory()) return;
      if (stats) unlinkSync(at(folder));
      mkdirSync(at(folder), 0o700);
    },
    remove(folder) {
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

function notAFolder(path: BytePath): SkeinError {
  return new SkeinError(`The folder of ${toText(path)} was replaced while it was being restored`, {
    kind: "filesystem",
    target: toText(path),
    hint: "Stop whatever is writing to the workspace and restore again",
  });
}
