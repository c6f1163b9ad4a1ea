import { constants, readdirSync, type Stats } from "node:fs";
import { copyFile, cp, lstat, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { SkeinError } from "../core/internal.ts";
import {
  type BytePath,
  bytesUnlessText,
  isAtOrBelow,
  isPlainPath,
  isTreePath,
  joinBytePath,
  lookAt,
  toBytePath,
  toSystemPath,
  toText,
} from "../git/index.ts";
import { isDropping } from "./left-out/droppings.ts";
import { createIgnoreRules, readTreeRules } from "./left-out/ignore-rules.ts";
import { selectByGlobs } from "./left-out/selection.ts";
import { SIZE_LIMIT_BYTES } from "./left-out/size-limit.ts";
import type { MaterialiseOptions } from "./snapshot-store.ts";
import { dataPaths } from "./store/data-paths.ts";
import type { Repository } from "./store/repository.ts";

export interface CarriedPath {
  readonly path: string;
  /** Changes when the file does, or when something is added to the folder itself or taken away. */
  readonly stamp: string;
}

/** What branches of a workspace get: the folders that were asked for, or the usual ones that are there and ignored; and what globs add. */
export async function findCarried(
  repository: Repository,
  { carry, alsoCarry = [] }: Readonly<Partial<Record<"carry" | "alsoCarry", readonly string[] | undefined>>>,
  sizeLimitBytes: number,
): Promise<readonly CarriedPath[]> {
  const { workspace } = repository;
  const there = (carry ?? HEAVY).flatMap((path) => {
    const stats = lookAt(join(workspace, path));
    return stats?.isDirectory() ? [{ path, stamp: stampOf(stats) }] : [];
  });
  const paths = there.map(({ path }) => path);
  const taken = carry ? paths : await onlyIgnored(repository, workspace, paths);
  const folders = there.filter(({ path }) => taken.includes(path));
  const added = await matchCarried(repository, alsoCarry, sizeLimitBytes);
  return [...folders, ...added.filter(({ path }) => !folders.some((each) => isAtOrBelow(path, each.path)))];
}

/** Folders that take long to make and that no snapshot holds. */
const HEAVY: readonly string[] = ["node_modules", "target", ".venv"];

/** Those of some paths that a directory's rules leave out: the others would be taken for a change in it. */
async function onlyIgnored(repository: Repository, root: string, paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length === 0) return [];
  const { excludesFile } = await readTreeRules(repository, root, []);
  await using rules = createIgnoreRules({ gitDirectory: repository.gitDirectory, root, excludesFile });
  const answers = await rules.ask(paths.map((path) => toBytePath(path)));
  return paths.filter((_, index) => answers[index]);
}

/** Finds what of a workspace's files some globs name and no state holds: what is ignored, left out by a built-in rule, or too large. */
async function matchCarried(
  repository: Repository,
  globs: readonly string[],
  sizeLimitBytes: number,
): Promise<readonly CarriedPath[]> {
  if (globs.length === 0) return [];
  const { gitDirectory, workspace } = repository;
  const { excludesFile, reserved } = await readTreeRules(repository, workspace, []);
  await using rules = createIgnoreRules({ gitDirectory, root: workspace, excludesFile });
  const root = toBytePath(workspace);
  const selection = selectByGlobs(globs);
  const found: CarriedPath[] = [];
  /** `isInTaken`: a glob names the folder, and so all that is in it. */
  const visit = async (folder: BytePath, isInTaken: boolean, isInIgnored: boolean): Promise<void> => {
    const names = readdirSync(toSystemPath(`${root}/${folder}`), { encoding: "latin1" }).toSorted();
    const children = names.flatMap((name) => {
      const path = joinBytePath(folder, name);
      if (name === ".git" || reserved.has(path) || isDropping(path) || bytesUnlessText(path)) return [];
      const isTaken = isInTaken || selection.takesFile(path);
      const stats = isTaken || selection.enters(path) ? lookAt(toSystemPath(`${root}/${path}`)) : undefined;
      return stats?.isDirectory() || (isTaken && stats?.isFile()) ? [{ path, stats, isTaken }] : [];
    });
    const answers = isInIgnored ? [] : await rules.ask(children.map(({ path }) => path));
    for (const [index, { path, stats, isTaken }] of children.entries()) {
      const isIgnored = isInIgnored || answers[index] !== undefined;
      const isLarge = stats.isFile() && stats.size > sizeLimitBytes;
      if (isTaken && (isIgnored || isLarge)) found.push({ path: toText(path), stamp: stampOf(stats) });
      else if (stats.isDirectory()) await visit(path, isTaken, isIgnored);
    }
  };
  await visit("", false, false);
  return found;
}

function stampOf(stats: Stats): string {
  return [stats.ino, stats.mtimeMs, ...(stats.isFile() ? [stats.size] : [])].join(" ");
}

/** Copies folders and files that no snapshot holds, such as `node_modules` or `.env`, from one directory to another. What is there is kept. */
export async function carryPaths(
  repository: Repository,
  paths: readonly string[],
  places: Record<"from" | "to", string> & Required<Pick<MaterialiseOptions, "sizeLimitBytes" | "signal">>,
): Promise<void> {
  const { from, to, sizeLimitBytes = SIZE_LIMIT_BYTES, signal } = places;
  const without = dataPaths(repository, from).map((path) => join(from, toText(path)));
  const made = [];
  for (const path of paths) made.push(...(await prepare(path.replace(/\/+$/, ""), from, to)));
  const ignored = await onlyIgnored(repository, to, [...new Set(made.map(({ asked }) => asked))]);
  for (const { path, asked, first, stats } of made) {
    // Captures leave it out for its size.
    const isLarge = stats.isFile() && stats.size > sizeLimitBytes && first === undefined;
    if (isLarge || ignored.includes(asked)) await copyFolder(join(from, path), join(to, path), { without, signal });
    else if (first !== undefined) await rm(first, { recursive: true, force: true });
  }
}

/** Makes the folder for what is carried, for rules may be about folders only, and one that is not there is none; nothing where it cannot be. */
async function prepare(path: string, from: string, to: string) {
  if (!isTreePath(path)) {
    throw new SkeinError(`${path} cannot be carried`, {
      kind: "usage",
      target: path,
      hint: "Give paths relative to the workspace's root, with slashes and without . or ..",
    });
  }
  const stats = isPlainPath(from, path) ? lookAt(join(from, path)) : undefined;
  if (!(stats?.isDirectory() || stats?.isFile()) || !isPlainPath(to, path)) return [];
  const first = await mkdir(join(to, stats.isDirectory() ? path : dirname(path)), { recursive: true });
  // Of what had to be made for it, the rules are asked about the topmost.
  return [{ path, stats, first, asked: first === undefined ? path : relative(to, first) }];
}

/** Keeps what is there. The file system shares content where it can; a hard link would let the copy change the original. */
export async function copyFolder(
  from: string,
  to: string,
  /** `without`: paths that are not copied, for the copy itself may lie in one of them. */
  { without = [], signal }: { readonly without?: readonly string[]; readonly signal?: AbortSignal | undefined } = {},
): Promise<void> {
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
