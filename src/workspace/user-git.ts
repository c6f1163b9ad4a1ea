import { spawn } from "node:child_process";
import { endOf } from "./run-git.ts";

/** What a git that talks to others came to. */
export interface UserGitEnd {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs git as the user would: with their settings, keys and helpers, because the place that it talks to is theirs. Only
 * the repository is given, and no hook of ours or theirs is run in it.
 */
export async function runUserGit(
  gitDirectory: string,
  args: readonly string[],
  options: { readonly signal?: AbortSignal | undefined; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<UserGitEnd> {
  const inherited = Object.entries(process.env).filter(([name]) => !LOCAL.test(name));
  const child = spawn(
    "git",
    ["-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0", `--git-dir=${gitDirectory}`, ...args],
    {
      cwd: gitDirectory,
      env: { ...Object.fromEntries(inherited), LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", ...options.env },
      stdio: ["pipe", "pipe", "pipe"],
      ...(options.signal ? { signal: options.signal } : {}),
    },
  );
  let stdout = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString("utf8")));
  child.stdin.on("error", () => undefined);
  child.stdin.end();
  const end = await endOf(child);
  options.signal?.throwIfAborted();
  return { ...end, stdout };
}

/** Variables that would lead git to another repository. */
const LOCAL =
  /^GIT_(?:DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|NAMESPACE|CONFIG.*|PREFIX)$/u;
