import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { SkeinError } from "../../core/index.ts";
import { usageError } from "../command/parse-args.ts";

/** Another machine, as `ssh` is told of it. */
export interface SshTarget {
  readonly host: string;
  /** The words before the host: who cannot be asked must not be waited for. */
  readonly flags: readonly string[];
}

/** A name, an alias of the ssh settings or an address, with a user or without one; nothing that `ssh` takes for a flag. */
const HOST = /^(?:\w[\w.-]*@)?\w[\w.-]*$/u;

export function sshTarget(host: string, options: readonly string[]): SshTarget {
  if (!HOST.test(host)) {
    throw usageError("ssh-mode", `${JSON.stringify(host)} is not a host`, {
      target: host,
      hint: "Give HOST or USER@HOST; ports, keys and other addresses go in ~/.ssh/config or --ssh-option Port=2222.",
    });
  }
  const wrong = options.find((option) => !/^[A-Za-z]\w*=[^\0\r\n]+$/u.test(option));
  if (wrong !== undefined) {
    throw usageError("ssh-mode", `--ssh-option must be Name=value, not ${JSON.stringify(wrong)}`, {
      target: "--ssh-option",
      hint: "man ssh_config lists them.",
    });
  }
  return { host, flags: ["BatchMode=yes", ...options].flatMap((option) => ["-o", option]) };
}

/** What makes git use the same `ssh`. */
export function gitSshEnvironment({ flags }: SshTarget): Readonly<Record<string, string>> {
  return { GIT_SSH_COMMAND: ["ssh", ...flags].map(shellWord).join(" "), GIT_SSH_VARIANT: "ssh" };
}

/** Starts a command line on the other machine. A Ctrl-C at the terminal is ours to pass on, not its to die of. */
export function startOnHost({ host, flags }: SshTarget, command: string): ChildProcessWithoutNullStreams {
  const child = spawn("ssh", [...flags, host, command], { stdio: "pipe", detached: true });
  child.stdin.on("error", () => undefined);
  return child;
}

export async function runOnHost(
  target: SshTarget,
  command: string,
  signal: AbortSignal,
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  signal.throwIfAborted();
  const child = startOnHost(target, command);
  const kill = (): void => void child.kill();
  signal.addEventListener("abort", kill, { once: true });
  child.stdin.end();
  try {
    const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), endOf(child)]);
    signal.throwIfAborted();
    return { code, stdout, stderr };
  } finally {
    signal.removeEventListener("abort", kill);
  }
}

/** The code that `ssh` ended with, which is that of the command; null where it could not be started or was killed. */
export async function endOf(child: ChildProcessWithoutNullStreams): Promise<number | null> {
  const [code] = (await once(child, "close").catch(() => [null])) as [number | null];
  return code;
}

/** Why nothing could be done on the host. `ssh` itself ends with 255. */
export function hostError({ host }: SshTarget, code: number | null, stderr: string): SkeinError {
  const line = stderr.trim().split("\n").at(-1) ?? "";
  if (code === 255 || code === null) {
    return new SkeinError(`Cannot reach ${host} by ssh: ${line || "ssh exited"}`, {
      kind: "network",
      target: host,
      retryable: true,
      hint: `Check it in a shell: ssh -o BatchMode=yes ${host} true`,
    });
  }
  return new SkeinError(`A command failed on ${host} with code ${code}: ${line}`, {
    kind: "process",
    target: host,
    hint: code === 127 ? "Skein and git must be installed there; --remote-command sets how Skein is run." : undefined,
  });
}

/** A word of a shell command that means itself. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
