import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { PRIVATE_FOLDER } from "../../core/index.ts";
import { errorCode } from "./storage-error.ts";

/**
 * Waits until the names in a folder are on the disk. Git flushes files and never folders: without this, a file that was put
 * under its name may not be found there after a power cut, for half a minute.
 */
export async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
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
