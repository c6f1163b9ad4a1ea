import { collectGit, gitLines } from "../../git/index.ts";
import type { Repository } from "./repository.ts";

/** Reads every object that a snapshot needs and checks its hash; gives a sentence for each thing that is wrong. */
export async function verifyStore(repository: Repository): Promise<readonly string[]> {
  const problems = await findProblems(repository);
  // Packs may be made one while they are read, also by what a killed process left running: true damage is met again.
  return problems.length === 0 ? problems : await findProblems(repository);
}

async function findProblems({ gitDirectory }: Repository): Promise<readonly string[]> {
  const args = ["fsck", "--full", "--no-dangling", "--no-progress", "--no-reflogs"];
  const { exitCode, stdout, stderr } = await collectGit({ gitDirectory, args });
  const lines = `${stdout.toString("utf8")}\n${stderr}`.split("\n").filter(Boolean);
  const problems = lines.filter((line) => DAMAGE.test(line) && !OPINION.test(line));
  const isExplained = exitCode === 0 || lines.some((line) => DAMAGE.test(line) || OPINION.test(line));
  return [...problems, ...(isExplained ? [] : [`git fsck ended with ${exitCode}`]), ...(await misnamed(gitDirectory))];
}

const DAMAGE = /^(error:|fatal:|missing |broken |bad |\s+(to|from)\s)/;

/** Git's views on what a project should not have, such as a link named `.gitmodules`, or a head that follows no branch. */
const OPINION = /^((error|warning) in |error: HEAD points to something strange \(refs\/skein\/)/;

/** Each ref is named after the tree that it holds. */
async function misnamed(gitDirectory: string): Promise<readonly string[]> {
  const args = ["for-each-ref", "--format=%(refname:lstrip=3) %(tree)", "refs/skein/snapshots"];
  const pairs = (await gitLines({ gitDirectory, args })).map((line) => line.split(" "));
  return pairs.filter(([name, tree]) => name !== tree).map(([name]) => `the ref of ${name} holds another tree`);
}
