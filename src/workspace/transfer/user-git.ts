import { spawn } from "node:child_process";
import { defined } from "../../core/internal.ts";
import { endOf } from "../../git/index.ts";

export interface UserGitEnd {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs git as the user would: with their settings, keys and helpers, because the place that it talks to is theirs. Only
 * the repository is given, no hook of ours or theirs is run in it, and only git's own protocols are spoken.
 */
export async function runUserGit(
  gitDirectory: string,
  args: readonly string[],
  { signal, env = {} }: { readonly signal?: AbortSignal | undefined; readonly env?: Record<string, string> } = {},
): Promise<UserGitEnd> {
  const inherited = Object.entries(process.env).filter(([name]) => !LOCAL.test(name));
  const settings = SETTINGS.flatMap((setting) => ["-c", setting]);
  const child = spawn("git", [...settings, `--git-dir=${gitDirectory}`, ...args], {
    cwd: gitDirectory,
    env: { ...Object.fromEntries(inherited), ...ENVIRONMENT, ...env },
    stdio: ["pipe", "pipe", "pipe"],
    ...defined({ signal }),
  });
  let stdout = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout = (stdout + chunk.toString("utf8")).slice(-MOST_OUTPUT)));
  child.stdin.on("error", () => undefined);
  child.stdin.end();
  const end = await endOf(child);
  signal?.throwIfAborted();
  return { ...end, stdout };
}

const MOST_OUTPUT = 64 * 1024 * 1024;

const SETTINGS: readonly string[] = [
  "core.hooksPath=/dev/null",
  "gc.auto=0",
  // Large files go past the memory, and what must be in it is held by one thread.
  "core.bigFileThreshold=16m",
  "pack.threads=1",
  "core.deltaBaseCacheLimit=64m",
  // A server that says nothing for a minute has gone away.
  "http.lowSpeedLimit=1",
  "http.lowSpeedTime=60",
];

const ENVIRONMENT = {
  LC_ALL: "C",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ALLOW_PROTOCOL: "file:git:http:https:ssh",
  /** Git gives up instead of unpacking something larger: a few bytes can ask for any number. */
  GIT_ALLOC_LIMIT: "512m",
};

/** Variables that would lead git to another repository. */
const LOCAL =
  /^GIT_(?:DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|NAMESPACE|CONFIG.*|PREFIX)$/u;
