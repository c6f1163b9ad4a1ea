import { CONVERSATIONS } from "../head.ts";
import { runGit } from "../run-git.ts";
import type { StateId } from "../state-commit.ts";

/**
 * The states that no conversation leads to, in no order: those of conversations that were removed, of turns that were cut off
 * before they had a name, and those whose name was lost.
 */
export async function listUnnamed(gitDirectory: string): Promise<readonly StateId[]> {
  const check = ["cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objecttype) %(objectname)"];
  const objects = (await runGit({ gitDirectory, args: check })).toString("latin1").split("\n");
  const reached = await runGit({ gitDirectory, args: ["rev-list", `--glob=${CONVERSATIONS}*`] });
  const named = new Set(reached.toString("latin1").split("\n"));
  const commits = objects.filter((line) => line.startsWith("commit ")).map((line) => line.slice("commit ".length));
  const others = commits.filter((id) => !named.has(id));
  if (others.length === 0) return [];
  // The commit of a bare snapshot has no message.
  const show = ["log", "--no-walk=unsorted", "--stdin", "--ignore-missing", "--format=%H %s"];
  const told = await runGit({ gitDirectory, args: show, input: others.map((id) => `${id}\n`).join("") });
  const lines = told.toString("utf8").split("\n");
  return lines
    .filter((line) => line.length > "0123456789012345678901234567890123456789 ".length)
    .map((line) => line.slice(0, 40));
}
