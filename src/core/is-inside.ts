import { isAbsolute, relative, sep } from "node:path";

/** Whether a path is a folder or lies below it, as the two are written: links are for the caller to follow. What is no absolute path is nowhere. */
export function isInside(path: string, folder: string): boolean {
  if (!isAbsolute(path)) return false;
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
