import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  type Stats,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { rename } from "node:fs/promises";
import { createId, SkeinError } from "../../core/internal.ts";
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

/** Replaces each file whole: a crash leaves the old or the new. Gives the folders in which something not held had to stay. */
export async function applyListing(
  { root, from, to }: { readonly root: BytePath; readonly from: Listing; readonly to: Listing },
  { objects, signal }: { readonly objects: ObjectReader; readonly signal: AbortSignal | undefined },
): Promise<readonly BytePath[]> {
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
    const replacing: Promise<void>[] = [];
    for (const [index, { path, after }] of some.entries()) {
      const content = contents[index];
      if (!guard.enter(path)) guard.make(path.slice(0, path.lastIndexOf("/")));
      if (after) replacing.push(replaceFile(at, path, { state: after, content, objects }));
      // A large one goes through a git of its own: one at a time, and nothing goes on where one has failed.
      if (!content) await settled(replacing);
    }
    await settled(replacing);
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

async function settled(all: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(all);
  await Promise.all(all);
}

function isOnlyMode(before: FileState | undefined, after: FileState): boolean {
  return before?.kind === "file" && after.kind === "file" && before.contentId === after.contentId;
}

/**
 * Written beside its place and renamed into it, which replaces a link instead of writing through it. The renaming is left to another thread:
 * file systems take their time to find room for the content of a file that takes another's place.
 */
async function replaceFile(at: (path: BytePath) => string | Buffer, path: BytePath, file: FileToWrite): Promise<void> {
  const beside = at(`${path.slice(0, path.lastIndexOf("/") + 1)}.skein-${createId()}`);
  try {
    await writeStoredFile(beside, file);
    await rename(beside, at(path));
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

interface FileToWrite {
  readonly state: FileState;
  /** Its content; undefined where it is too large to be held in memory, and goes from git to the disk. */
  readonly content: Buffer | undefined;
  readonly objects: ObjectReader;
}

/** Writes a file or a link where nothing is yet, and gives how it looks right after. */
export async function writeStoredFile(path: string | Buffer, { state, content, objects }: FileToWrite): Promise<Stats> {
  const { kind, mode, contentId = "" } = state;
  if (kind === "symlink") {
    if (!content || !isLinkTarget(content)) {
      const hint = "It was not made by Skein";
      throw new SkeinError("A snapshot holds a link with an impossible target", {
        kind: "policy",
        target: contentId,
        hint,
      });
    }
    symlinkSync(content, path);
    return lstatSync(path);
  }
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const file = openSync(path, flags, 0o600);
  try {
    if (content) writeFileSync(file, content);
    else await objects.writeTo(contentId, file);
    fchmodSync(file, mode);
    return fstatSync(file);
  } finally {
    closeSync(file);
  }
}

/** Whether a file system can hold a link to this. */
export function isLinkTarget(content: Buffer): boolean {
  return content.length > 0 && content.length < 4096 && !content.includes(0);
}
