import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

const SKIPPED = new Set([".git", "node_modules"]);

/** More files than this are not looked at: a listing has to stay cheap beside a turn. */
const LIMIT = 20_000;

/** The files of a directory, each with a mark that changes when it does; nothing when there are too many. */
export type FileListing = ReadonlyMap<string, string> | undefined;

/** Which files came, changed and went. */
export interface FileChanges {
  readonly created: string[];
  readonly modified: string[];
  readonly deleted: string[];
  /** None: by time and size a file that moved looks like one that went and one that came. */
  readonly renamed: { from: string; to: string }[];
  /** False when the directory has too many files to tell. */
  readonly complete: boolean;
}

/** Lists the files of a directory by time and size; what cannot be read is passed over. */
export async function listFiles(directory: string, limit: number = LIMIT): Promise<FileListing> {
  const files = new Map<string, string>();
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = await readdir(join(directory, folder), { withFileTypes: true }).catch(() => []);
    const kept = entries.filter((entry) => !SKIPPED.has(entry.name));
    const paths = kept.map((entry) => (folder === "" ? entry.name : `${folder}/${entry.name}`));
    folders.push(...paths.filter((_, index) => kept[index]?.isDirectory()));
    const filePaths = paths.filter((_, index) => !kept[index]?.isDirectory());
    if (files.size + filePaths.length > limit) return undefined;
    const marks = await Promise.all(filePaths.map((path) => markOf(join(directory, path))));
    for (const [index, path] of filePaths.entries()) files.set(path, marks[index] ?? "");
  }
  return files;
}

/** Compares two listings of one directory. */
export function compareFiles(before: FileListing, after: FileListing): FileChanges {
  if (!before || !after) return { created: [], modified: [], deleted: [], renamed: [], complete: false };
  return {
    created: [...after.keys()].filter((path) => !before.has(path)).toSorted(),
    modified: [...after]
      .filter(([path, mark]) => before.has(path) && before.get(path) !== mark)
      .map(([path]) => path)
      .toSorted(),
    deleted: [...before.keys()].filter((path) => !after.has(path)).toSorted(),
    renamed: [],
    complete: true,
  };
}

async function markOf(path: string): Promise<string> {
  const found = await lstat(path).catch(() => undefined);
  return found ? `${found.mtimeMs} ${found.size}` : "";
}
