import { once } from "node:events";
import { systemClock, type Clock } from "../../core/internal.ts";
import type { CliProcess } from "./cli-process.ts";
import { commandEnv } from "./env-variables.ts";
import { ProcessManager } from "./process-manager.ts";

const TAIL_LENGTH = 8000;

const STDOUT_LENGTH = 32 * 1024 * 1024;

/** How a command may run. */
export interface ShellCommandOptions {
  /** After which it is ended, with all that it started; 10 minutes by default. */
  readonly timeoutMs?: number;
  /** Added to the plain part of this process's environment: keys and tokens are not in it. */
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
}

interface ShellCommandScope {
  readonly directory: string;
  readonly signal: AbortSignal;
  /** What a program has to be started by to see the directory. */
  readonly enter?: (argv: readonly string[]) => readonly string[];
}

/** What a command came to. */
export interface ShellCommandOutcome {
  /** None where it was ended by a signal, or by us. */
  readonly exitCode: number | undefined;
  readonly isTimeout: boolean;
  /** Standard output; of a very long one the end. */
  readonly stdout: string;
  /** The end of both outputs, as they came. */
  readonly tail: string;
}

/** Its processes are marked and watched over like agents: none survives the command, an abort, or this process. */
const processes = new ProcessManager();

/** Runs a shell command beside an agent, and resolves when nothing of it is left. It rejects when the signal is aborted. */
export async function runShellCommand(
  command: string,
  { directory, enter = (argv) => argv, signal }: ShellCommandScope,
  { timeoutMs = 600_000, env = {}, clock = systemClock }: ShellCommandOptions = {},
): Promise<ShellCommandOutcome> {
  signal.throwIfAborted();
  await processes.prepare();
  const [program = "", ...args] = enter(["/bin/sh", "-c", command]);
  const waiting = new AbortController();
  const running = processes.spawn({
    command: program,
    args,
    cwd: directory,
    env: commandEnv(process.env, env),
    signal: new AbortController().signal,
  });
  const { child } = running;
  const output = collectOutput(child);
  const closed = new Promise((resolve) => child.once("close", resolve));
  const exited = once(child, "exit").then(([code]: (number | null)[]) => ({ exitCode: code ?? undefined }));
  try {
    const timeout = clock.sleep(timeoutMs, AbortSignal.any([signal, waiting.signal])).then(() => undefined);
    const ending = await Promise.race([exited, timeout]);
    await running.end();
    await closed;
    return { exitCode: ending?.exitCode, isTimeout: ending === undefined, ...output() };
  } finally {
    waiting.abort();
    await running.end();
  }
}

/** Gathers both outputs. A command that does not read its input must not fail for that. */
function collectOutput(child: CliProcess["child"]): () => Pick<ShellCommandOutcome, "stdout" | "tail"> {
  let stdout = "";
  let tail = "";
  const keep = (text: string): void => void (tail = (tail + text).slice(-TAIL_LENGTH));
  child.stdin.on("error", () => undefined);
  child.stdin.end();
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (text: string) => {
    stdout = (stdout + text).slice(-STDOUT_LENGTH);
    keep(text);
  });
  child.stderr.on("data", keep);
  return () => ({ stdout, tail: tail.trim() });
}
