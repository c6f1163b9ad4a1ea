import { open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createId, PRIVATE_FILE } from "../../core/index.ts";
import { syncFolder } from "./sync-folder.ts";

/** How a file is written whole. */
export interface WriteOptions {
  /** Where it is until it is whole; beside its place by default. */
  readonly half?: string;
  readonly mode?: number;
}

/** Writes a small file whole: whoever reads it, after a power cut too, finds what was there before or all of this. */
export async function writeDurably(
  path: string,
  content: string | Uint8Array,
  { half = `${path}.new-${createId()}`, mode = PRIVATE_FILE }: WriteOptions = {},
): Promise<void> {
  try {
    const file = await open(half, "wx", mode);
    try {
      await file.writeFile(content);
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(half, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(half, { force: true });
    throw error;
  }
}

/** Waits until a folder with all that is in it is on the disk. For few files; a large tree is better left to the system. */
export async function syncTree(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await syncTree(path);
    else if (entry.isFile()) await syncFile(path);
  }
  await syncFolder(folder);
}

/** Waits until a file's content is on the disk. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}
