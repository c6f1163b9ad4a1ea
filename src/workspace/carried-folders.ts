import { join } from "node:path";
import { toBytePath } from "./byte-path.ts";
import { createIgnoreRules } from "./ignore-rules.ts";
import { lookAt } from "./look-at.ts";
import type { Repository } from "./repository.ts";
import { readTreeRules } from "./tree-rules.ts";

/** Folders that take long to make and that no snapshot holds. */
const HEAVY: readonly string[] = ["node_modules", "target", ".venv"];

/** A folder of a workspace that its branches get too. */
export interface CarriedFolder {
  readonly path: string;
  /** Changes when something is added to the folder itself, or taken away. */
  readonly stamp: string;
}

/** The folders that branches of a workspace get: those that were asked for, or the usual ones that are there and ignored. */
export async function findCarried(
  repository: Repository,
  carry: readonly string[] | undefined,
): Promise<readonly CarriedFolder[]> {
  const paths = carry ?? HEAVY;
  const there = paths.flatMap((path) => {
    const stats = lookAt(join(repository.workspace, path));
    return stats?.isDirectory() ? [{ path, stamp: `${stats.ino} ${stats.mtimeMs}` }] : [];
  });
  if (carry) return there;
  const ignored = await onlyIgnored(
    repository,
    repository.workspace,
    there.map(({ path }) => path),
  );
  return there.filter(({ path }) => ignored.includes(path));
}

/** Those of some folders that a directory's rules leave out: the others would be taken for a change in it. */
export async function onlyIgnored(
  repository: Repository,
  root: string,
  folders: readonly string[],
): Promise<readonly string[]> {
  if (folders.length === 0) return [];
  const { gitDirectory } = repository;
  const { excludesFile } = await readTreeRules(repository, root, []);
  await using rules = createIgnoreRules({ gitDirectory, root, excludesFile });
  const answers = await rules.ask(folders.map((path) => toBytePath(path)));
  return folders.filter((_, index) => answers[index]);
}
