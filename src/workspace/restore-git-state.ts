import { copyFile, mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { createId, SkeinError } from "../core/index.ts";
import { readRef } from "./git-state.ts";
import type { Repository } from "./repository.ts";
import { runGit } from "./run-git.ts";
import type { GitState } from "./snapshot-store.ts";
import { errorCode } from "./storage-error.ts";
import { isPlainPath, type UserRepository } from "./user-repository.ts";

/** What to put back. */
export interface GitTarget {
  readonly user: UserRepository;
  readonly now: GitState;
  readonly wanted: Omit<GitState, "indexId">;
  /** What was staged, as a snapshot holds it; undefined where it is not to be changed. */
  readonly index: Buffer | undefined;
}

/**
 * Puts the user's branch, HEAD and index back. No hook, filter or other program of the repository runs. Commits made since
 * stay: where a branch is moved away from one, `refs/skein/kept/` holds it.
 */
export async function restoreGitState(repository: Repository, target: GitTarget): Promise<void> {
  await restoreHead(target);
  if (target.index !== undefined) await restoreIndex(repository, target.user, target.index);
}

async function restoreHead({ user, now, wanted }: GitTarget): Promise<void> {
  if (now.head === wanted.head && now.branch === wanted.branch) return;
  checkPlain(user, ["HEAD", "logs/HEAD", "packed-refs", "refs/skein", "refs/skein/kept"]);
  const git = (...args: string[]): Promise<Buffer> => runGit({ gitDirectory: user.gitDirectory, args });
  if (wanted.head !== undefined) await checkCommit(user, wanted.head);
  if (wanted.branch === undefined) {
    if (now.head !== undefined) await git("update-ref", `refs/skein/kept/${now.head}`, now.head);
    if (wanted.head !== undefined) await git("update-ref", "--no-deref", "-m", REASON, "HEAD", wanted.head);
    return;
  }
  checkPlain(user, [wanted.branch, `logs/${wanted.branch}`]);
  const tip = readRef(user, wanted.branch);
  if (now.detached && now.head !== undefined) await git("update-ref", `refs/skein/kept/${now.head}`, now.head);
  if (tip !== wanted.head) {
    if (tip !== undefined) await git("update-ref", `refs/skein/kept/${tip}`, tip);
    const change = wanted.head === undefined ? ["-d", wanted.branch] : [wanted.branch, wanted.head];
    await git("update-ref", "-m", REASON, ...change, ...(tip === undefined ? [] : [tip]));
  }
  await git("symbolic-ref", "-m", REASON, "HEAD", wanted.branch);
}

const REASON = "skein: restore";

async function checkCommit({ gitDirectory }: UserRepository, commit: string): Promise<void> {
  await runGit({ gitDirectory, args: ["cat-file", "-e", `${commit}^{commit}`] }).catch((cause: unknown) => {
    throw new SkeinError(`The commit ${commit} is not in the repository any more`, {
      kind: "filesystem",
      target: commit,
      cause,
      hint: "It was removed by a garbage collection; the files can still be restored with materialise",
    });
  });
}

/** The index is made beside the store, then put in place under git's own lock. */
async function restoreIndex(repository: Repository, user: UserRepository, listed: Buffer): Promise<void> {
  checkPlain(user, ["index", "index.lock"]);
  const folder = join(repository.home, "temporary");
  await mkdir(folder, { recursive: true });
  const made = join(folder, `index-${createId()}`);
  try {
    await buildIndex(repository, made, listed);
    await install(made, user.gitDirectory);
  } finally {
    await rm(made, { force: true });
  }
}

async function buildIndex({ gitDirectory }: Repository, path: string, listed: Buffer): Promise<void> {
  const env = { GIT_INDEX_FILE: path };
  const lines = listed.toString("latin1").split("\0").slice(0, -1);
  const build = async (args: readonly string[], input: readonly string[]): Promise<void> => {
    const text = input.map((line) => `${line}\0`).join("");
    await runGit({
      gitDirectory,
      env,
      settings: ["core.bare=false"],
      args: ["update-index", "-z", ...args],
      input: Buffer.from(text, "latin1"),
    });
  };
  await runGit({ gitDirectory, env, args: ["read-tree", "--empty"] });
  await build(
    ["--index-info"],
    lines.map((line) => line.slice(2)),
  );
  const pathsWith = (letters: string): readonly string[] =>
    lines.filter((line) => letters.includes(line[0] ?? "")).map((line) => line.slice(line.indexOf("\t") + 1));
  for (const [letters, flag] of [
    ["sS", "--skip-worktree"],
    ["hs", "--assume-unchanged"],
  ] as const) {
    const paths = pathsWith(letters);
    if (paths.length > 0) await build([flag, "--stdin"], paths);
  }
}

async function install(made: string, userGitDirectory: string): Promise<void> {
  const lock = join(userGitDirectory, "index.lock");
  const held = await open(lock, "wx").catch((cause: unknown) => {
    if (errorCode(cause) !== "EEXIST") throw cause;
    throw new SkeinError("Another git is at work in the workspace's repository", {
      kind: "filesystem",
      target: lock,
      retryable: true,
      hint: "Wait for it, or remove the lock file if no git is running",
    });
  });
  await held.close();
  try {
    await copyFile(made, lock);
    await rename(lock, join(userGitDirectory, "index"));
  } catch (error) {
    await rm(lock, { force: true });
    throw error;
  }
}

function checkPlain({ gitDirectory, commonDirectory }: UserRepository, paths: readonly string[]): void {
  for (const path of paths) {
    if (isPlainPath(gitDirectory, path) && isPlainPath(commonDirectory, path)) continue;
    throw new SkeinError(`${path} in the workspace's repository is reached through a link`, {
      kind: "filesystem",
      target: path,
      hint: "Skein writes only to real files of the repository; put a real one in its place",
    });
  }
}
