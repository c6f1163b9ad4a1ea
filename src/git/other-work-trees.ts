import { readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { lookAt } from "./files/look-at.ts";
import { readSmallFile } from "./files/read-small-file.ts";
import type { UserRepository } from "./user-repository.ts";

/** The folder of another work tree of a repository that stands on a branch; undefined where none does. */
export function otherWorkTreeOn({ gitDirectory, commonDirectory }: UserRepository, branch: string): string | undefined {
  const others = gitDirectory === commonDirectory ? [] : [commonDirectory];
  const linked = namesIn(join(commonDirectory, "worktrees")).map((name) => join(commonDirectory, "worktrees", name));
  for (const place of [...others, ...linked.filter((each) => each !== gitDirectory)]) {
    const head = readSmallFile(join(place, "HEAD"))?.toString("utf8").trim();
    const folder = place === commonDirectory ? dirname(place) : linkedFolder(place);
    if (head === `ref: ${branch}` && folder !== undefined) return folder;
  }
  return undefined;
}

/** Where a linked work tree is; undefined where it is gone, which git finds out only later. */
function linkedFolder(place: string): string | undefined {
  const dotGit = readSmallFile(join(place, "gitdir"))?.toString("utf8").trimEnd();
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
