import { chmodSync, closeSync, fchmodSync, renameSync, unlinkSync } from "node:fs";
import { createId } from "../../core/index.ts";
import {
  type BytePath,
  chmodFolder,
  createFolderGuard,
  errorCode,
  type ObjectReader,
  openPlain,
  toSystemPath,
} from "../../git/index.ts";
import { compareFiles, type Listing } from "../listing.ts";
import type { FileState } from "../snapshot-store.ts";
import { type FileToWrite, writeStoredFile } from "./write-stored-file.ts";

interface Application {
  /** The directory's real path, as bytes. */
  readonly root: BytePath;
  readonly from: Listing;
  readonly to: Listing;
  readonly objects: ObjectReader;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Changes a directory from one tree to another. Each file is replaced whole: a crash leaves the old one or the new one.
 * Gives the folders that had to stay, because something is in them that the first tree does not hold.
 */
export async function applyListing({ root, from, to, objects, signal }: Application): Promise<readonly BytePath[]> {
  const guard = createFolderGuard(root);
  const at = (path: BytePath): string | Buffer => toSystemPath(`${root}/${path}`);
  const differences = compareFiles(from, to);
  for (const { path, before, after } of differences) if (before && !after && guard.enter(path)) removeIfThere(at(path));
  const gone = [...from.folders.keys()].filter((folder) => !to.folders.has(folder));
  const left = gone.toSorted(deepestFirst).filter((folder) => !guard.remove(folder));
  const made = [...to.folders.keys()].filter((folder) => !from.folders.has(folder));
  for (const folder of made.toSorted()) guard.make(folder);
  const written = differences.filter(({ before, after }) => after && !isOnlyMode(before, after));
  for (let start = 0; start < written.length; start += FETCHED_AT_ONCE) {
    signal?.throwIfAborted();
    const some = written.slice(start, start + FETCHED_AT_ONCE);
    const contents = await Promise.all(some.map(({ after }) => objects.fileContent(after?.contentId ?? "")));
    for (const [index, { path, after }] of some.entries()) {
      if (!guard.enter(path)) guard.make(path.slice(0, path.lastIndexOf("/")));
      if (after) await replaceFile(at, path, { state: after, content: contents[index], objects });
    }
  }
  for (const { path, before, after } of differences) {
    if (after && isOnlyMode(before, after) && guard.enter(path)) chmodFile(at(path), after.mode);
  }
  const modes = [...to.folders].filter(([path, mode]) => from.folders.get(path) !== mode || guard.opened.has(path));
  for (const [path, mode] of modes.toSorted(([one], [other]) => deepestFirst(one, other))) {
    if (guard.enter(`${path}/`)) chmodFolder(at(path), mode);
  }
  return left;
}

const FETCHED_AT_ONCE = 16;

function isOnlyMode(before: FileState | undefined, after: FileState): boolean {
  return before?.kind === "file" && after.kind === "file" && before.contentId === after.contentId;
}

/** Written beside its place and renamed into it, which replaces a link instead of writing through it. */
async function replaceFile(at: (path: BytePath) => string | Buffer, path: BytePath, file: FileToWrite): Promise<void> {
  const beside = at(`${path.slice(0, path.lastIndexOf("/") + 1)}.skein-${createId()}`);
  try {
    await writeStoredFile(beside, file);
    renameSync(beside, at(path));
  } catch (error) {
    removeIfThere(beside);
    throw error;
  }
}

/** By handle, so that a link that has taken the file's place is not followed. */
function chmodFile(path: string | Buffer, mode: number): void {
  let file: number;
  try {
    file = openPlain(path);
  } catch (error) {
    // Its owner may set the mode of a file that may not be read.
    if (errorCode(error) !== "EACCES") throw error;
    return chmodSync(path, mode);
  }
  try {
    fchmodSync(file, mode);
  } finally {
    closeSync(file);
  }
}

function removeIfThere(path: string | Buffer): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
}

function deepestFirst(left: BytePath, right: BytePath): number {
  return left < right ? 1 : -1;
}
