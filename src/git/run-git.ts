import { type ChildProcess, type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { defined, enterPrivate, SkeinError } from "../core/internal.ts";
import { errorCode, type GitEnd, gitError } from "./files/storage-error.ts";

interface GitCall {
  /** The repository, always named: git never looks for one, so no other can be met and none is refused for its owner. */
  readonly gitDirectory: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly input?: string | Buffer | readonly string[];
  readonly workTree?: string;
  readonly settings?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Git is ended, with an error, where it writes more: what it is asked about may be made to have no end. */
  readonly mostOutputBytes?: number;
}

/** What git may write about the paths of a snapshot: some millions of them. */
export const MOST_LISTING_BYTES = 256 * 1024 ** 2;

/** Runs git to its end and gives what it wrote; anything but exit code 0 is an error. */
export async function runGit(call: GitCall): Promise<Buffer> {
  const { stdout, ...ended } = await collectGit(call);
  checkEnd(call, ended);
  return stdout;
}

function checkEnd({ args }: GitCall, ended: GitEnd): void {
  if (ended.exitCode !== 0) throw gitError(args[0] ?? "", ended);
}

export async function gitLines(call: GitCall): Promise<readonly string[]> {
  return (await runGit(call)).toString("utf8").split("\n").filter(Boolean);
}

export async function gitSucceeds(call: GitCall): Promise<boolean> {
  return (await runGit(call).catch(() => undefined)) !== undefined;
}

/** Runs git to its end and gives what it wrote and how it ended, whatever that is. */
export async function collectGit(call: GitCall) {
  const { mostOutputBytes = Number.POSITIVE_INFINITY } = call;
  const child = spawnGit(call);
  const chunks: Buffer[] = [];
  let size = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= mostOutputBytes) chunks.push(chunk);
    else child.kill("SIGKILL");
  });
  // A git that ends early closes its input; how it ended says why.
  child.stdin.on("error", () => undefined);
  child.stdin.end(inputOf(call));
  const ended = await endOf(child);
  call.signal?.throwIfAborted();
  if (size > mostOutputBytes) throw endless(call);
  return { ...ended, stdout: Buffer.concat(chunks) };
}

function inputOf({ input = "" }: GitCall): string | Buffer {
  return typeof input === "string" || Buffer.isBuffer(input) ? input : [...input, ""].join("\n");
}

/** Runs git to its end while everything else waits: only for what has to be answered without a promise. */
export function runGitSync(call: GitCall & { readonly mostOutputBytes: number }): Buffer {
  const { command, args, cwd, env } = gitCommand(call);
  const ended = spawnSync(command, args, { cwd, env, input: inputOf(call), maxBuffer: call.mostOutputBytes });
  if (ended.error && errorCode(ended.error) === "ENOBUFS") throw endless(call);
  if (ended.error) throw notStarted(ended.error);
  checkEnd(call, { exitCode: ended.status, stderr: ended.stderr.toString("utf8") });
  return ended.stdout;
}

/**
 * Runs two gits, the first of which writes what the second reads; an error of either is thrown. What is written goes from the one to the
 * other, and waits for nothing that this process is doing.
 */
export async function pipeGit(from: GitCall, to: Omit<GitCall, "input">): Promise<void> {
  const source = spawnGit(from);
  const sink = spawnReader(to, source.stdout);
  // Ours is another end of it: while that is open, neither would see that the other is gone.
  source.stdout.destroy();
  sink.stdout.resume();
  source.stdin.on("error", () => undefined);
  // A pack says where it ends: its reader may be done before its writer is gone, which then ends by itself.
  // One that ends early would leave the other waiting.
  sink.on("close", (exitCode) => void (exitCode !== 0 && source.kill()));
  source.stdin.end(inputOf(from));
  const [sent, taken] = await Promise.all([endOf(source), endOf(sink)]);
  // Each fails where the other does: one has nobody to write to, or the other not all to read. Why tells what either said.
  if (sent.exitCode !== 0 && taken.exitCode !== 0)
    checkEnd(to, { ...taken, stderr: `${sent.stderr}\n${taken.stderr}` });
  checkEnd(from, sent);
  checkEnd(to, taken);
}

function spawnReader(call: Omit<GitCall, "input">, from: Readable): ChildProcessByStdio<null, Readable, Readable> {
  const { command, args, cwd, env } = gitCommand(call);
  const stdio: [Readable, "pipe", "pipe"] = [from, "pipe", "pipe"];
  const signal = defined({ signal: call.signal });
  return spawn(command, args, { cwd, env, stdio, ...signal });
}

function endless({ args }: GitCall): SkeinError {
  return new SkeinError(`git ${args[0] ?? ""} was stopped: its output is larger than a workspace can be`, {
    kind: "policy",
    hint: "A state was built to fill memory or disk; delete its conversation",
  });
}

export type GitProcess = ChildProcessByStdio<Writable, Readable, Readable>;

export function spawnGit(call: GitCall): GitProcess {
  const { command, args, cwd, env } = gitCommand(call);
  const stdio: ["pipe", "pipe", "pipe"] = ["pipe", "pipe", "pipe"];
  return spawn(command, args, { cwd, env, stdio, ...defined({ signal: call.signal }) });
}

/** Runs git to its end and has it write into an open file: nothing of it is in this process's memory. */
export async function runGitInto(call: GitCall, file: number): Promise<void> {
  const { command, args, cwd, env } = gitCommand(call);
  const stdio: ["ignore", number, "pipe"] = ["ignore", file, "pipe"];
  const child = spawn(command, args, { cwd, env, stdio }) as ChildProcess & { readonly stderr: Readable };
  checkEnd(call, await endOf(child));
}

function gitCommand(call: GitCall): ReturnType<typeof enterPrivate> {
  const settings = [...GIT_SETTINGS, ...(call.settings ?? [])].flatMap((setting) => ["-c", setting]);
  const workTree = call.workTree === undefined ? [] : [`--work-tree=${call.workTree}`];
  return enterPrivate({
    command: "git",
    args: [...settings, `--git-dir=${call.gitDirectory}`, ...workTree, ...call.args],
    cwd: call.cwd ?? call.gitDirectory,
    env: { ...gitEnvironment(), ...call.env },
  });
}

export function endOf(child: ChildProcess & { readonly stderr: Readable }): Promise<GitEnd> {
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr = (stderr + chunk.toString("utf8")).slice(-8000)));
  return new Promise((resolve, reject) => {
    child.on("error", (cause) => {
      if (cause.name !== "AbortError") reject(notStarted(cause));
    });
    child.on("close", (exitCode) => resolve({ exitCode, stderr }));
  });
}

function notStarted(cause: Error): SkeinError {
  return new SkeinError("git could not be started", { kind: "process", cause, hint: "Install git 2.39 or newer" });
}

/** Settings for every git that Skein runs: nothing of the user's is read, nothing of the workspace's is executed. */
const GIT_SETTINGS: readonly string[] = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  "core.autocrlf=false",
  "core.attributesFile=/dev/null",
  "core.quotePath=false",
  "core.precomposeUnicode=false",
  "core.protectHFS=false",
  "core.protectNTFS=false",
  "core.fsync=committed,pack-metadata,loose-object,reference",
  "core.fsyncMethod=batch",
  "core.compression=1",
  "gc.auto=0",
  "maintenance.auto=false",
  "protocol.allow=never",
  "diff.renameLimit=2000",
];

/** Made anew: a `GIT_DIR` or `GIT_INDEX_FILE` that happens to be set would send a snapshot into another repository. */
function gitEnvironment(): NodeJS.ProcessEnv {
  const { PATH, TMPDIR, TEMP, TMP, SystemRoot } = process.env;
  return {
    ...defined({ PATH, TMPDIR, TEMP, TMP, SystemRoot }),
    LC_ALL: "C",
    HOME: "/nonexistent",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_LITERAL_PATHSPECS: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_ALLOW_PROTOCOL: "none",
    // Git gives up instead of unpacking something larger into memory: a few bytes can ask for any number.
    GIT_ALLOC_LIMIT: "1g",
    GIT_PROTOCOL_FROM_USER: "0",
    GIT_AUTHOR_NAME: "Skein",
    GIT_AUTHOR_EMAIL: "skein@localhost",
    GIT_COMMITTER_NAME: "Skein",
    GIT_COMMITTER_EMAIL: "skein@localhost",
  };
}
