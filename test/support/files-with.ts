import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";

/** The files below a folder that hold a text. */
export async function filesWith(folder: string, text: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const found = await Promise.all(paths.map(async (path) => ((await readFile(path)).includes(text) ? [path] : [])));
  return found.flat().map((path) => relative(folder, path));
}
