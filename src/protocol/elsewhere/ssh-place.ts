import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { SkeinError } from "../../core/internal.ts";
import type { State } from "../../trace/internal.ts";
import { pullStates, runUserGit, type Workspace } from "../../workspace/internal.ts";
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
      hint: "Give HOST or USER@HOST; ports, keys and other addresses go in ~/.ssh/config or `sshOption` Port=2222.",
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
function gitSshEnvironment({ flags }: SshTarget): Readonly<Record<string, string>> {
  return { GIT_SSH_COMMAND: ["ssh", ...flags].map(shellWord).join(" "), GIT_SSH_VARIANT: "ssh" };
}

/** Starts a command line on the other machine. A Ctrl-C at the terminal is ours to pass on, not its to die of. */
export function startOnHost({ host, flags }: SshTarget, command: string): ChildProcessWithoutNullStreams {
  const child = spawn("ssh", [...flags, host, command], { stdio: "pipe", detached: true });
  child.stdin.on("error", () => undefined);
  return child;
}

async function runOnHost(
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
    hint: code === 127 ? "Skein and git must be installed there; `remoteCommand` sets how Skein is run." : undefined,
  });
}

/** A word of a shell command that means itself. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** A directory on another machine, and the bare repository beside it through which states come and go. */
export interface SshPlace {
  readonly target: SshTarget;
  readonly directory: string;
  readonly exchange: string;
}

/** Where states are exchanged, and for how long that may be waited for. */
interface Exchange {
  readonly place: SshPlace;
  readonly signal: AbortSignal;
}

/** For `sh`: makes what is not there yet, and prints where it is. Files that no earlier run left are somebody's. */
const PREPARE = `mkdir -p -- "$1" && cd -- "$1" || exit 1
place=$(pwd -P)
if [ ! -e "$place.skein.git" ] && [ -n "$(ls -A)" ]; then exit 73; fi
(umask 077 && git init --quiet --bare "$place.skein.git") && printf '%s\\n' "$place"`;

export async function preparePlace(target: SshTarget, directory: string, signal: AbortSignal): Promise<SshPlace> {
  const prepare = `sh -c ${shellWord(PREPARE)} sh ${shellWord(directory)}`;
  const { code, stdout, stderr } = await runOnHost(target, prepare, signal);
  if (code === 73) {
    throw new SkeinError(`${directory} on ${target.host} has files of its own`, {
      kind: "usage",
      target: directory,
      hint: "Give `remoteCwd` a new or empty directory: the files from here replace its contents.",
    });
  }
  // What a shell prints while it starts comes before.
  const place = stdout.trimEnd().split("\n").at(-1);
  if (code !== 0 || !place) throw hostError(target, code, stderr);
  // It becomes part of an address, in which git would take much else for the name of a program.
  if (/^\/\P{Cc}*$/u.test(place)) return { target, directory: place, exchange: `${place}.skein.git` };
  const said = JSON.stringify(place.slice(0, 200));
  throw new SkeinError(`${target.host} says that the directory is ${said}, which is no path`, {
    kind: "policy",
    target: target.host,
    hint: "Its shell prints something after the command, which is read as the path; make it print nothing there",
  });
}

/** Sends a state, with all that led to it and under the name of its conversation. */
export async function sendState(workspace: Workspace, state: State, { place, signal }: Exchange): Promise<void> {
  const { conversationId } = state;
  const tip = (await workspace.states.conversations()).get(conversationId) ?? state.id;
  const refspec = `${tip}:${refOf(conversationId)}`;
  const push = ["push", "--quiet", "--no-verify", "--", addressOf(place), refspec];
  await sshGit(workspace.gitDirectory, push, { place, signal });
}

export async function fetchConversation(
  workspace: Workspace,
  conversationId: string,
  { place, signal }: Exchange,
): Promise<void> {
  const between = await mkdtemp(join(tmpdir(), "skein-ssh-"));
  try {
    const init = await runUserGit(between, ["init", "--quiet", "--bare", "--template="], { signal });
    if (init.exitCode !== 0) throw cannotExchange(place, init.stderr);
    // What the store has needs not be sent again.
    await writeFile(join(between, "objects/info/alternates"), `${join(workspace.gitDirectory, "objects")}\n`);
    const ref = refOf(conversationId);
    const fetch = ["fetch", "--quiet", "--no-tags", "--", addressOf(place), `${ref}:${ref}`];
    await sshGit(between, fetch, { place, signal });
    const rejected = (await pullStates(workspace, between, { signal })).find(({ status }) => status === "rejected");
    if (rejected) throw wentOn(place, "here");
  } finally {
    await rm(between, { recursive: true, force: true });
  }
}

/** Refuses a state that the conversation which came does not lead to: a machine must not choose among the states that are here. */
export async function checkCame(
  { states }: Workspace,
  conversationId: string | null,
  { stateId, sentId }: { readonly stateId: string; readonly sentId: string },
): Promise<void> {
  const tip = conversationId === null ? undefined : await states.tip(conversationId);
  if (tip !== undefined && (await states.list([tip], [sentId])).includes(stateId)) return;
  throw new SkeinError(`The state ${stateId} did not arrive with its conversation`, {
    kind: "policy",
    target: stateId,
    hint: "Nothing was restored; skein log shows what arrived",
  });
}

async function sshGit(gitDirectory: string, args: readonly string[], { place, signal }: Exchange): Promise<void> {
  const env = { ...gitSshEnvironment(place.target), GIT_ALLOW_PROTOCOL: "ssh" };
  const { exitCode, stderr } = await runUserGit(gitDirectory, args, { env, signal });
  if (exitCode === 0) return;
  if (stderr.includes("[rejected]")) throw wentOn(place, "there");
  throw cannotExchange(place, stderr);
}

function cannotExchange({ target: { host } }: SshPlace, stderr: string): SkeinError {
  return new SkeinError(`git cannot exchange states with ${host}: ${stderr.trim().split("\n").at(-1)}`, {
    kind: "network",
    target: host,
    retryable: true,
  });
}

function wentOn({ target: { host }, exchange }: SshPlace, where: string): SkeinError {
  return new SkeinError(`The conversation continued differently ${where}`, {
    kind: "usage",
    target: host,
    hint: `Nothing is lost: what was done there is in ${host}:${exchange}. Restore another state, or use another \`remoteCwd\`.`,
  });
}

function addressOf({ target: { host }, exchange }: SshPlace): string {
  return `${host}:${exchange}`;
}

function refOf(conversationId: string): string {
  return `refs/skein/conversations/${conversationId}`;
}
