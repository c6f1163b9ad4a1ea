import { readdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import {
  type BytePath,
  bytesUnlessText,
  isAtOrBelow,
  joinBytePath,
  lookAt,
  toBytePath,
  toSystemPath,
  toText,
} from "../git/index.ts";
import { isDropping } from "./left-out/droppings.ts";
import { createIgnoreRules, readTreeRules } from "./left-out/ignore-rules.ts";
import { selectByGlobs } from "./left-out/selection.ts";
import type { Repository } from "./store/repository.ts";

interface CarryOptions {
  readonly carry?: readonly string[] | undefined;
  readonly alsoCarry?: readonly string[] | undefined;
}

/** Folders that take long to make and that no snapshot holds. */
const HEAVY: readonly string[] = ["node_modules", "target", ".venv"];

/** What branches of a workspace get: the folders that were asked for, or the usual ones that are there and ignored; and what globs add. */
export async function findCarried(
  repository: Repository,
  { carry, alsoCarry = [] }: CarryOptions,
  sizeLimitBytes: number,
): Promise<readonly CarriedPath[]> {
  const folders = await findFolders(repository, carry);
  const added = await matchCarried(repository, alsoCarry, sizeLimitBytes);
  return [...folders, ...added.filter(({ path }) => !folders.some((each) => isAtOrBelow(path, each.path)))];
}

async function findFolders(
  repository: Repository,
  carry: readonly string[] | undefined,
): Promise<readonly CarriedPath[]> {
  const there = (carry ?? HEAVY).flatMap((path) => {
    const stats = lookAt(join(repository.workspace, path));
    return stats?.isDirectory() ? [{ path, stamp: stampOf(stats) }] : [];
  });
  if (carry) return there;
  const paths = there.map(({ path }) => path);
  const ignored = await onlyIgnored(repository, repository.workspace, paths);
  return there.filter(({ path }) => ignored.includes(path));
}

/** Those of some paths that a directory's rules leave out: the others would be taken for a change in it. */
export async function onlyIgnored(
  repository: Repository,
  root: string,
  paths: readonly string[],
): Promise<readonly string[]> {
  if (paths.length === 0) return [];
  const { gitDirectory } = repository;
  const { excludesFile } = await readTreeRules(repository, root, []);
  await using rules = createIgnoreRules({ gitDirectory, root, excludesFile });
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

/** A folder or a file of a workspace that its branches get too. */
export interface CarriedPath {
  readonly path: string;
  /** Changes when the file does, or when something is added to the folder itself or taken away. */
  readonly stamp: string;
}

/** A text that changes with what is carried. */
function stampOf(stats: Stats): string {
  return [stats.ino, stats.mtimeMs, ...(stats.isFile() ? [stats.size] : [])].join(" ");
}
