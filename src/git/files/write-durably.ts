import { closeSync, fdatasync, fsync, openSync, writeFileSync } from "node:fs";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { createId, PRIVATE_FILE, PRIVATE_FOLDER } from "../../core/internal.ts";
import { errorCode } from "./storage-error.ts";

/** Writes a small file whole: whoever reads it, after a power cut too, finds what was there before or all of this. */
export async function writeDurably(
  path: string,
  content: string | Uint8Array,
  { half = `${path}.new-${createId()}`, mode = PRIVATE_FILE }: { readonly half?: string; readonly mode?: number } = {},
): Promise<void> {
  try {
    await writeFlushed(half, content, mode);
    await rename(half, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(half, { force: true });
    throw error;
  }
}

/** Only the flush is left to another thread: everything else is done sooner than one is asked. */
export async function writeFlushed(path: string, content: string | Uint8Array, mode: number): Promise<void> {
  const file = openSync(path, "wx", mode);
  try {
    writeFileSync(file, content);
    await flushContent(file);
  } finally {
    closeSync(file);
  }
}

const flushContent = promisify(fdatasync);
const flush = promisify(fsync);

/** Waits until a folder with all that is in it is on the disk. For few files; a large tree is better left to the system. */
export async function syncTree(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await syncTree(path);
    else if (entry.isFile()) await syncFile(path);
  }
  await syncFolder(folder);
}

export async function syncFile(path: string): Promise<void> {
  await using file = await open(path, "r");
  await file.datasync();
}

/** Git flushes files and never folders: without this, a new name may be lost for half a minute in a power cut. */
export async function syncFolder(path: string): Promise<void> {
  try {
    const folder = openSync(path, "r");
    try {
      await flush(folder);
    } finally {
      closeSync(folder);
    }
  } catch (error) {
    if (!UNABLE.has(errorCode(error))) throw error;
  }
}

/** How systems and file systems say that they flush no folders. */
const UNABLE: ReadonlySet<string> = new Set(["EISDIR", "EPERM", "EINVAL", "ENOTSUP", "EBADF"]);

/** Makes a folder, and those above it that are missing; those that it made are on the disk when it resolves. */
export async function makeFolder(
  path: string,
  options: { readonly recursive: true; readonly mode?: number } = PRIVATE_FOLDER,
): Promise<void> {
  const first = await mkdir(path, options);
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
}
