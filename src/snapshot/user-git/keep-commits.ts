import { join } from "node:path";
import { findUserRepository, gitSucceeds, isPlainPath, runGit, syncPacksAndRefs } from "../../git/index.ts";
import type { Repository } from "../store/repository.ts";

/** Keeps the commits of a branch as its captures see them; what could not be kept is tried again with the next. */
export function createHeadKeeper(repository: Repository, branch: string | undefined) {
  let isKept = true;
  return async (directory: string, { before, now }: Record<"before" | "now", string | undefined>): Promise<void> => {
    if (directory !== branch || now === undefined || (now === before && isKept)) return;
    isKept = await keepCommits(repository, directory, now);
  };
}

/**
 * Takes a commit of a branch into the workspace's repository, under a ref of Skein's own, so that a state that stands at it can be restored
 * after the branch is gone. Nothing of the branch's is read but its objects, named by their content. False where it cannot be had.
 */
async function keepCommits({ workspace }: Repository, branch: string, commit: string): Promise<boolean> {
  const origin = findUserRepository(workspace);
  const theirs = findUserRepository(branch);
  if (!origin || !theirs || !isPlainPath(origin.commonDirectory, "objects/pack")) return false;
  // A pipe among the branch's objects would make git wait for ever.
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const { gitDirectory } = origin;
  if (await gitSucceeds({ gitDirectory, args: ["cat-file", "-e", `${commit}^{commit}`], signal })) return true;
  try {
    // Several folders are told apart by colons there, unless they stand in quotes.
    const env = { GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(join(theirs.commonDirectory, "objects")) };
    const listed = ["rev-list", "--objects", `${commit}^{commit}`, "--not", "--all"];
    const input = await runGit({ gitDirectory, env, args: listed, signal });
    const pack = await runGit({ gitDirectory, env, args: ["pack-objects", "--stdout", "--quiet"], input, signal });
    await runGit({ gitDirectory, args: ["index-pack", "--stdin"], input: pack, signal });
    // Only now without the branch's objects in sight: all of it is there.
    await runGit({ gitDirectory, args: [...listed, "--quiet"], signal });
    await runGit({ gitDirectory, args: ["update-ref", `refs/skein/kept/${commit}`, commit], signal });
    await syncPacksAndRefs(origin.commonDirectory, "refs/skein/kept");
    return true;
  } catch {
    // The branch's repository is damaged; its files are recorded all the same.
    return false;
  }
}

const PATIENCE_MS = 60_000;
