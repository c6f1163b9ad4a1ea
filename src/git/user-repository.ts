import { realpathSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { lookAt } from "./files/look-at.ts";
import { readSmallFile } from "./files/read-small-file.ts";
import { coreWorkTree } from "./core-work-tree.ts";

/** The repository whose work tree a directory is. */
export interface UserRepository {
  /** Where its HEAD and index are. */
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
  if (isReal(path, "folder")) {
    if (isThere(join(path, "commondir"))) return undefined;
    return isWhole(path, path) ? { gitDirectory: path, commonDirectory: path } : undefined;
  }
  const target = /^gitdir: (.+)\n?$/.exec(textOf(path) ?? "")?.[1];
  if (target === undefined) return undefined;
  const gitDirectory = resolve(directory, target);
  return isThere(join(gitDirectory, "commondir"))
    ? linkedWorkTree(path, gitDirectory)
    : submodule(directory, gitDirectory);
}

/** Whether a path below a git folder is reached without passing a link; what is not there yet is no link. */
export function isPlainPath(gitDirectory: string, path: string): boolean {
  const parts = path.split("/");
  return parts.every((_, index) => {
    const stats = lookAt(join(gitDirectory, ...parts.slice(0, index + 1)));
    return !stats?.isSymbolicLink();
  });
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
  const folders = ["objects", "refs"].every((name) => isReal(join(commonDirectory, name), "folder"));
  return folders && isReal(join(gitDirectory, "HEAD"), "file");
}

function isReal(path: string, kind: "file" | "folder"): boolean {
  const stats = lookAt(path);
  return kind === "file" ? stats?.isFile() === true : stats?.isDirectory() === true;
}

function isThere(path: string): boolean {
  return lookAt(path) !== undefined;
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
