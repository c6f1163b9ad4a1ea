import { isAbsolute, relative, sep } from "node:path";
import { SkeinError } from "../errors.ts";

/** Whether a path is a folder or lies below it, as the two are written: links are for the caller to follow. What is no absolute path is nowhere. */
export function isInside(path: string, folder: string): boolean {
  if (!isAbsolute(path)) return false;
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Refuses a path that cannot be told as text: where Node puts U+FFFD for a byte that is no UTF-8, it leads nowhere, or elsewhere. */
export function checkTextPath(path: string): string {
  if (!path.includes("\ufffd")) return path;
  throw new SkeinError(`${path} has a name that is not UTF-8`, {
    kind: "filesystem",
    target: path,
    hint: "Rename the directory, or the parent whose name shows \ufffd; files inside a workspace may have any name",
  });
}
