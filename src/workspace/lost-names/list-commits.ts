import { runGit } from "../../git/index.ts";
import type { StateId } from "../states/state-commit.ts";

/** Every commit that is in a repository, in no order. */
export async function listCommits(gitDirectory: string): Promise<readonly StateId[]> {
  const args = ["cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objecttype) %(objectname)"];
  const objects = (await runGit({ gitDirectory, args })).toString("latin1").split("\n");
  return objects.flatMap((line) => (line.startsWith("commit ") ? [line.slice("commit ".length)] : []));
}
