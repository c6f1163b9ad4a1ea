import { constants } from "node:fs";
import { copyFile, cp, lstat, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { SkeinError } from "../core/index.ts";
import { isPlainPath, isTreePath, lookAt } from "../git/index.ts";

interface CarryPlaces {
  readonly from: string;
  readonly to: string;
  /** Which of some paths the rules of the new directory leave out; the others are not carried. */
  onlyIgnored(paths: readonly string[]): Promise<readonly string[]>;
  /** Captures leave larger files out, whatever the rules say of them. */
  readonly sizeLimitBytes: number;
  /** Paths below the first directory that are never carried. */
  readonly without: readonly string[];
  readonly signal: AbortSignal | undefined;
}

/**
 * Copies folders and files that no snapshot holds, such as `node_modules` or `.env`, from one directory to another. The file system shares
 * the content where it can; a hard link never does, for a write to the copy would change the original. What is there is kept.
 */
export async function carryPaths(paths: readonly string[], places: CarryPlaces): Promise<void> {
  const { from, to, signal } = places;
  const without = places.without.map((path) => join(from, path));
  const made: Prepared[] = [];
  for (const path of paths.map((each) => each.replace(/\/+$/, ""))) {
    const prepared = await prepare(path, places);
    if (prepared) made.push(prepared);
  }
  const ignored = new Set(await places.onlyIgnored([...new Set(made.map(({ asked }) => asked))]));
  for (const { path, asked, first, isLarge } of made) {
    if (ignored.has(asked) || isLarge) await copyFolder(join(from, path), join(to, path), { without, signal });
    else if (first !== undefined) await rm(first, { recursive: true, force: true });
  }
}

interface Prepared extends Record<"path" | "asked", string> {
  readonly first: string | undefined;
  readonly isLarge: boolean;
}

/** Makes the folder for what is carried, for rules may be about folders only, and one that is not there is none; nothing where it cannot be. */
async function prepare(path: string, { from, to, sizeLimitBytes }: CarryPlaces): Promise<Prepared | undefined> {
  if (!isTreePath(path)) {
    throw new SkeinError(`${path} cannot be carried`, {
      kind: "usage",
      target: path,
      hint: "Give paths relative to the workspace's root, with slashes and without . or ..",
    });
  }
  const stats = isPlainPath(from, path) ? lookAt(join(from, path)) : undefined;
  if (!(stats?.isDirectory() || stats?.isFile()) || !isPlainPath(to, path)) return undefined;
  const first = await mkdir(join(to, stats.isDirectory() ? path : dirname(path)), { recursive: true });
  // Captures leave it out for its size.
  const isLarge = stats.isFile() && stats.size > sizeLimitBytes && first === undefined;
  // Of what had to be made for it, the rules are asked about the topmost.
  return { path, asked: first === undefined ? path : relative(to, first), first, isLarge };
}

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
