import { constants } from "node:fs";
import { copyFile, cp, lstat, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Copies a folder with all that is in it; what is there already is kept. The file system shares the content where it can.
 * A hard link never does, for a write to the copy would change the original.
 */
export async function copyFolder(from: string, to: string, { without = [], signal }: CopyOptions = {}): Promise<void> {
  if (without.includes(from)) return;
  if (without.some((path) => path.startsWith(`${from}/`))) {
    await mkdir(to, { recursive: true });
    for (const name of await readdir(from)) await copyFolder(join(from, name), join(to, name), { without, signal });
    return;
  }
  await cp(from, to, {
    recursive: true,
    force: false,
    mode: constants.COPYFILE_FICLONE,
    preserveTimestamps: true,
    verbatimSymlinks: true,
    async filter(source) {
      signal?.throwIfAborted();
      const stats = await lstat(source);
      return stats.isFile() || stats.isDirectory() || stats.isSymbolicLink();
    },
  });
}

interface CopyOptions {
  /** Paths that are not copied: the copy itself may lie in one of them. */
  readonly without?: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/** Whether the file system shares content between copies, found out by trying in a folder that is made for it; or why not. */
export async function tryReflink(folder: string): Promise<string | undefined> {
  const original = join(folder, "original");
  await mkdir(folder, { recursive: true });
  try {
    await writeFile(original, "content");
    await copyFile(original, join(folder, "copy"), constants.COPYFILE_FICLONE_FORCE);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
