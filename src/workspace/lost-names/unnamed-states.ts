import { CONVERSATIONS } from "../states/head.ts";
import { runGit, listRefs } from "../../git/index.ts";
import type { StateId } from "../states/state-commit.ts";
import { listCommits } from "./list-commits.ts";
import { listStatesThere } from "./states-there.ts";

/**
 * The states that no conversation leads to, in no order: those of conversations that were removed, of turns that were cut off
 * before they had a name, and those whose name was lost.
 */
export async function listUnnamed(gitDirectory: string): Promise<readonly StateId[]> {
  const tips = (await listRefs(gitDirectory, CONVERSATIONS)).values();
  const named = new Set(await listStatesThere(gitDirectory, tips));
  const others = (await listCommits(gitDirectory)).filter((id) => !named.has(id));
  if (others.length === 0) return [];
  // The commit of a bare snapshot has no message.
  const show = ["log", "--no-walk=unsorted", "--ignore-missing", "--format=%H %s", "--stdin"];
  const told = await runGit({ gitDirectory, args: show, input: others.map((id) => `${id}\n`).join("") });
  const lines = told.toString("utf8").split("\n");
  return lines
    .filter((line) => line.length > "0123456789012345678901234567890123456789 ".length)
    .map((line) => line.slice(0, 40));
}
