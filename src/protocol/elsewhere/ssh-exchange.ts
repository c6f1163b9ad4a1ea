import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SkeinError } from "../../core/index.ts";
import type { State } from "../../trace/index.ts";
import { pullStates, runUserGit, type Workspace } from "../../workspace/index.ts";
import { shellWord, gitSshEnvironment, hostError, runOnHost, type SshTarget } from "./ssh-target.ts";

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
      hint: "Give --remote-cwd a new or empty directory: the files from here replace its contents.",
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
    hint: `Nothing is lost: what was done there is in ${host}:${exchange}. Restore another state, or use another --remote-cwd.`,
  });
}

function addressOf({ target: { host }, exchange }: SshPlace): string {
  return `${host}:${exchange}`;
}

function refOf(conversationId: string): string {
  return `refs/skein/conversations/${conversationId}`;
}
