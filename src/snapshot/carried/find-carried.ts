import { join } from "node:path";
import type { BranchOptions } from "./branch-options.ts";
import { toBytePath, lookAt } from "../../git/index.ts";
import { createIgnoreRules } from "../left-out/ignore-rules.ts";
import type { Repository } from "../store/repository.ts";
import { readTreeRules } from "../left-out/tree-rules.ts";
import { stampOf, type CarriedPath } from "./carried-path.ts";
import { matchCarried } from "./match-carried.ts";

/** Folders that take long to make and that no snapshot holds. */
const HEAVY: readonly string[] = ["node_modules", "target", ".venv"];

/** What branches of a workspace get: the folders that were asked for, or the usual ones that are there and ignored; and what globs add. */
export async function findCarried(
  repository: Repository,
  { carry, alsoCarry = [] }: Pick<BranchOptions, "carry" | "alsoCarry">,
  sizeLimitBytes: number,
): Promise<readonly CarriedPath[]> {
  const folders = await findFolders(repository, carry);
  const added = await matchCarried(repository, alsoCarry, sizeLimitBytes);
  const isIn = (path: string): boolean =>
    folders.some((each) => path === each.path || path.startsWith(`${each.path}/`));
  return [...folders, ...added.filter(({ path }) => !isIn(path))];
}

async function findFolders(
  repository: Repository,
  carry: readonly string[] | undefined,
): Promise<readonly CarriedPath[]> {
  const paths = carry ?? HEAVY;
  const there = paths.flatMap((path) => {
    const stats = lookAt(join(repository.workspace, path));
    return stats?.isDirectory() ? [{ path, stamp: stampOf(stats) }] : [];
  });
  if (carry) return there;
  const ignored = await onlyIgnored(
    repository,
    repository.workspace,
    there.map(({ path }) => path),
  );
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
