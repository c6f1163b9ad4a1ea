import { runGit } from "../run-git.ts";

/** Lists the refs below a prefix, without it: name and what it holds. */
export async function listRefs(gitDirectory: string, prefix: string): Promise<ReadonlyMap<string, string>> {
  const args = ["for-each-ref", "--format=%(objectname) %(refname)", prefix];
  const lines = (await runGit({ gitDirectory, args })).toString("utf8").split("\n").filter(Boolean);
  return new Map(lines.map((line) => [line.slice(41 + prefix.length), line.slice(0, 40)]));
}
