import { mkdir, rm } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { SkeinError } from "../../core/index.ts";
import { copyFolder } from "./copy-folder.ts";
import { isTreePath, lookAt, isPlainPath } from "../../git/index.ts";

/** From where to where something is carried. */
export interface CarryPlaces {
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
    if (!isTreePath(path)) throw notBelow(path);
    const prepared = await prepare(path, places);
    if (prepared) made.push(prepared);
  }
  const ignored = new Set(await places.onlyIgnored([...new Set(made.map(({ asked }) => asked))]));
  for (const { path, asked, first, isLarge } of made) {
    if (ignored.has(asked) || isLarge) await copyFolder(join(from, path), join(to, path), { without, signal });
    else if (first !== undefined) await rm(first, { recursive: true, force: true });
  }
}

interface Prepared {
  readonly path: string;
  /** What the rules are asked about: of what has to be made for it, the topmost. */
  readonly asked: string;
  /** What had to be made for it. */
  readonly first: string | undefined;
  /** It is left out of captures for its size. */
  readonly isLarge: boolean;
}

async function prepare(path: string, { from, to, sizeLimitBytes }: CarryPlaces): Promise<Prepared | undefined> {
  const stats = isPlainPath(from, path) ? lookAt(join(from, path)) : undefined;
  if (!(stats?.isDirectory() || stats?.isFile()) || !isPlainPath(to, path)) return undefined;
  // Rules may be for folders only, and one that is not there is none.
  const first = await mkdir(join(to, stats.isDirectory() ? path : dirname(path)), { recursive: true });
  const isLarge = stats.isFile() && stats.size > sizeLimitBytes && first === undefined;
  return { path, asked: first === undefined ? path : relative(to, first), first, isLarge };
}

function notBelow(path: string): SkeinError {
  return new SkeinError(`${path} cannot be carried`, {
    kind: "usage",
    target: path,
    hint: "Give paths relative to the workspace's root, with slashes and without . or ..",
  });
}
