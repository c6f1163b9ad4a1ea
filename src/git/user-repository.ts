import { readdirSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { lookAt, readSmallFile } from "./files/plain-files.ts";

export interface UserRepository {
  readonly gitDirectory: string;
  /** Where its branches and objects are; another folder for a linked work tree, the same for a submodule. */
  readonly commonDirectory: string;
}

/**
 * Finds the repository at a directory's root. A `.git` that is a link, that points somewhere which does not point back, or
 * whose parts lie elsewhere is passed over: a workspace must not make Skein read or write another's repository.
 */
export function findUserRepository(directory: string): UserRepository | undefined {
  const path = join(directory, ".git");
  if (lookAt(path)?.isDirectory()) {
    if (lookAt(join(path, "commondir"))) return undefined;
    return isWhole(path, path) ? { gitDirectory: path, commonDirectory: path } : undefined;
  }
  const target = /^gitdir: (.+)\n?$/.exec(textOf(path) ?? "")?.[1];
  if (target === undefined) return undefined;
  const gitDirectory = resolve(directory, target);
  return lookAt(join(gitDirectory, "commondir"))
    ? linkedWorkTree(path, gitDirectory)
    : submodule(directory, gitDirectory);
}

function linkedWorkTree(dotGit: string, gitDirectory: string): UserRepository | undefined {
  const back = textOf(join(gitDirectory, "gitdir"))?.trimEnd();
  // Since git 2.48 both may be relative, each to the folder that it is in.
  if (back === undefined || !isSamePlace(resolve(gitDirectory, back), dotGit)) return undefined;
  const common = textOf(join(gitDirectory, "commondir"))?.trimEnd() ?? "";
  const commonDirectory = isAbsolute(common) ? common : join(gitDirectory, common);
  if (dirname(dirname(gitDirectory)) !== resolve(commonDirectory)) return undefined;
  return isWhole(gitDirectory, commonDirectory) ? { gitDirectory, commonDirectory } : undefined;
}

/** Its git folder is the outer repository's, and names the folder of its files in its settings. */
function submodule(directory: string, gitDirectory: string): UserRepository | undefined {
  const workTree = coreWorkTree(textOf(join(gitDirectory, "config")) ?? "");
  if (workTree === undefined || !isSamePlace(resolve(gitDirectory, workTree), directory)) return undefined;
  return isWhole(gitDirectory, gitDirectory) ? { gitDirectory, commonDirectory: gitDirectory } : undefined;
}

function isWhole(gitDirectory: string, commonDirectory: string): boolean {
  const folders = ["objects", "refs"].every((name) => lookAt(join(commonDirectory, name))?.isDirectory());
  return folders && lookAt(join(gitDirectory, "HEAD"))?.isFile() === true;
}

function isSamePlace(left: string, right: string): boolean {
  try {
    return realpathSync(left) === realpathSync(right);
  } catch {
    return false;
  }
}

function textOf(path: string): string | undefined {
  return readSmallFile(path, 64 * 1024)?.toString("utf8");
}

/** Where a repository's settings say that its files are; undefined where git itself would not have written it so. */
export function coreWorkTree(config: string): string | undefined {
  let section = "";
  let found: string | undefined;
  for (const line of config.split("\n")) {
    section = /^\s*\[([^\]]*)\]\s*$/u.exec(line)?.[1]?.toLowerCase() ?? section;
    const value = section === "core" ? /^\s*worktree\s*=\s*(.*?)\s*$/iu.exec(line)?.[1] : undefined;
    // The last counts, as it does for git.
    if (value !== undefined) found = unquote(value);
  }
  return found;
}

function unquote(value: string): string | undefined {
  const [, inner] = /^"(.*)"$/u.exec(value) ?? [];
  if (inner === undefined) return value === "" || /["\\#;]/u.test(value) ? undefined : value;
  return /^(?:[^"\\]|\\["\\])+$/u.test(inner) ? inner.replaceAll(/\\(.)/gu, "$1") : undefined;
}

/** The folder of another work tree of a repository that stands on a branch; undefined where none does. */
export function otherWorkTreeOn({ gitDirectory, commonDirectory }: UserRepository, branch: string): string | undefined {
  const linked = namesIn(join(commonDirectory, "worktrees")).map((name) => join(commonDirectory, "worktrees", name));
  for (const place of [commonDirectory, ...linked].filter((each) => each !== gitDirectory)) {
    const folder = place === commonDirectory ? dirname(place) : linkedFolder(place);
    if (textOf(join(place, "HEAD"))?.trim() === `ref: ${branch}` && folder !== undefined) return folder;
  }
  return undefined;
}

/** Where a linked work tree is; undefined where it is gone, which git finds out only later. */
function linkedFolder(place: string): string | undefined {
  const dotGit = textOf(join(place, "gitdir"))?.trimEnd();
  const path = dotGit === undefined ? undefined : resolve(place, dotGit);
  return path !== undefined && lookAt(path) ? dirname(path) : undefined;
}

function namesIn(folder: string): readonly string[] {
  try {
    return lookAt(folder)?.isDirectory() ? readdirSync(folder) : [];
  } catch {
    return [];
  }
}
