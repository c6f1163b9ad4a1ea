import { copyFile, constants, link, lstat, rename, rm } from "node:fs/promises";
import { createId, SkeinError } from "../core/internal.ts";

export const REPLACE = "Replace an existing file";

/**
 * Puts a file that a person named in place, whole or not at all. One that is there already stays, unless it is to be replaced; `make` writes the new one
 * to the path that it is given, in the same folder.
 */
export async function putFile(
  path: string,
  { isReplaced, make }: { readonly isReplaced: boolean; readonly make: (path: string) => Promise<void> },
): Promise<void> {
  if (!isReplaced && (await isThere(path))) throw alreadyThere(path);
  const own = `${path}.${createId()}.tmp`;
  try {
    await make(own);
    await (isReplaced ? rename(own, path) : putNew(own, path));
  } catch (cause) {
    if (cause instanceof SkeinError) throw cause;
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") throw alreadyThere(path, cause);
    const hint = "Name another file, in a folder that is there and may be written.";
    const message = `The file cannot be written: ${(cause as Error).message}`;
    throw new SkeinError(message, { kind: "filesystem", target: path, hint, cause });
  } finally {
    await rm(own, { force: true });
  }
}

/** Somebody may have made the file meanwhile: a link never takes its place. Some disks know no links. */
async function putNew(own: string, path: string): Promise<void> {
  try {
    await link(own, path);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!["EPERM", "ENOTSUP", "ENOSYS", "EMLINK"].includes(code)) throw error;
    await copyFile(own, path, constants.COPYFILE_EXCL);
  }
}

async function isThere(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  );
}

function alreadyThere(path: string, cause?: unknown): SkeinError {
  return new SkeinError(`The file already exists: ${path}`, {
    kind: "filesystem",
    target: path,
    hint: "Name another file, or replace it with `replace`.",
    cause,
  });
}
