import { SkeinError } from "./skein-error.ts";

/**
 * Refuses a path that cannot be told as text. Node gives names as UTF-8 and puts U+FFFD for every byte that is none: such a path leads
 * nowhere, or to another directory that happens to be called so.
 */
export function checkTextPath(path: string): string {
  if (!path.includes("\ufffd")) return path;
  throw new SkeinError(`${path} has a name that is not UTF-8`, {
    kind: "filesystem",
    target: path,
    hint: "Rename the directory, or the parent whose name shows \ufffd; files inside a workspace may have any name",
  });
}
