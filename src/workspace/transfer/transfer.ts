import { join } from "node:path";
import { filterAsync, SkeinError } from "../../core/internal.ts";
import { takeLock } from "../../database/index.ts";
import { gitSucceeds, runGit, syncFolder, updateRef } from "../../git/index.ts";
import { attachHeads, detachHeads, type FollowedHead } from "../states/head.ts";
import { mergeNote } from "../states/note.ts";
import { noteArrived } from "../states/removed-states.ts";
import type { StateId } from "../states/state-commit.ts";
import { CHECKPOINTS, CONVERSATIONS, listAllRefs, NOTES } from "../states/state-refs.ts";
import type { Workspace } from "../workspace.ts";
import { type Arrival, fetchApart, judgeArrival } from "./arrival.ts";
import { hideCredentials, remoteAddress } from "./remote-address.ts";
import { runUserGit, type UserGitEnd } from "./user-git.ts";

/** What became of one name when states were sent or fetched. */
export interface TransferredRef {
  /** A conversation, a checkpoint or a note, in full. */
  readonly ref: string;
  /** `rejected`: the other side has gone on differently, and nothing was changed. */
  readonly status: "new" | "moved" | "same" | "rejected";
  readonly reason?: string;
  /** Why it was not taken, where that is not because both sides went on: it is not what a state may be, or could not be written there. */
  readonly problem?: SkeinError;
}

/** Names that only ever go forward, and notes. Where notes are sent, the sender's count; where they are fetched, ours. */
const REFSPECS = [
  `${CONVERSATIONS}*:${CONVERSATIONS}*`,
  `${CHECKPOINTS}*:${CHECKPOINTS}*`,
  `+${NOTES}*:${NOTES}*`,
] as const;

/**
 * What receives at a path on this machine, where it would otherwise run as the user with that repository's settings: the
 * path may be what an agent wrote for `origin`. No hook, no checkout and no command of those settings is run.
 */
const RECEIVE = [
  "git -c core.hooksPath=/dev/null -c receive.denyCurrentBranch=refuse -c core.alternateRefsCommand=true",
  "-c core.fsmonitor=false -c receive.autogc=false -c gc.auto=0 -c maintenance.auto=false receive-pack",
].join(" ");

/** Sends all states to a git remote: an address, a path, or the name of a remote of the workspace's own repository. */
export async function pushStates(
  workspace: Workspace,
  remote: string,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<readonly TransferredRef[]> {
  const { address, shown, isLocal } = await remoteAddress(workspace, remote);
  const receiver = isLocal ? [`--receive-pack=${RECEIVE}`] : [];
  const args = ["push", "--porcelain", "--no-verify", ...receiver, "--", address, ...REFSPECS];
  const end = await runUserGit(workspace.gitDirectory, args, { signal });
  const refs = end.stdout.split("\n").flatMap((line) => {
    const [, flag = "", ref = "", words = ""] = /^([ *=!+])\t\S*:(\S+)\t(.*)$/u.exec(line) ?? [];
    if (ref === "") return [];
    const status = PUSH_STATUS[flag] ?? "moved";
    const reason = /\((.*)\)/u.exec(words)?.[1] ?? "no reason given";
    if (words.startsWith("[remote rejected]")) return [{ ref, status, reason, problem: refusedThere(shown, reason) }];
    return [{ ref, status, ...(flag === "!" ? { reason } : {}) }];
  });
  if (refs.length === 0 && end.exitCode !== 0) throw unreachable("push", shown, end);
  return refs;
}

const PUSH_STATUS: Readonly<Record<string, TransferredRef["status"]>> = { "*": "new", "=": "same", "!": "rejected" };

/** Fetches all states of a git remote. A directory whose conversation went on there stays at the state that it is at. */
export async function pullStates(
  workspace: Workspace,
  remote: string,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<readonly TransferredRef[]> {
  const { address, shown } = await remoteAddress(workspace, remote);
  const failed = (end: UserGitEnd): SkeinError => unreachable("fetch", shown, end);
  return await fetchStates(workspace, { address, refspecs: REFSPECS, signal, failed });
}

/** Fetches into a place apart, looks at what came, and takes in what may be. */
export async function fetchStates(
  workspace: Workspace,
  { failed, ...fetch }: Parameters<typeof fetchApart>[1] & { failed(end: UserGitEnd): SkeinError },
): Promise<readonly TransferredRef[]> {
  await using arrival = await fetchApart(workspace, fetch);
  if (arrival.end.exitCode !== 0) throw failed(arrival.end);
  const known = (await workspace.states.tips()).values();
  const verdicts = await judgeArrival(arrival, known);
  const accepted = [...verdicts].flatMap(([ref, problem]) => (problem ? [] : [ref]));
  const refused = [...verdicts].flatMap(([ref, problem]): TransferredRef[] =>
    problem ? [{ ref, status: "rejected", reason: problem.message, problem }] : [],
  );
  const states = accepted.filter((ref) => !ref.startsWith(NOTES));
  const notes = accepted.filter((ref) => ref.startsWith(NOTES));
  const taken = await takeStates(workspace, arrival, states);
  return [...taken, ...(await takeNotes(workspace, arrival, notes)), ...refused];
}

/** From a repository of our own, by a git that reads nobody's settings. */
async function takeStates(
  workspace: Workspace,
  arrival: Arrival,
  names: readonly string[],
): Promise<readonly TransferredRef[]> {
  const { gitDirectory, clock } = workspace;
  const here = await listAllRefs(gitDirectory);
  // Of others nothing is taken: their states would be without a name. The arrival is asked, which knows the objects of both.
  const wanted = await filterAsync(names, async (ref) => {
    const ours = here.get(ref);
    return ours === undefined || (await leadsTo(arrival.gitDirectory, ours, arrival.refs.get(ref)));
  });
  if (wanted.length === 0) return await rejected(workspace, arrival, names);
  await fetchObjects(workspace, arrival, wanted);
  // A head that follows a conversation which goes on would then be a state whose files are not there.
  const isMeant = ({ conversationId, stateId }: FollowedHead): boolean =>
    ![undefined, stateId].includes(arrival.refs.get(`${CONVERSATIONS}${conversationId}`));
  const heads = await detachHeads(gitDirectory, { clock, isMeant });
  const before = await listAllRefs(gitDirectory);
  const moved: TransferredRef[] = [];
  try {
    for (const ref of wanted) {
      const [was, to = ""] = [before.get(ref), arrival.refs.get(ref)];
      const isMoved = was !== to && (await updateRef(gitDirectory, ref, { to, expected: was, clock }));
      if (isMoved) moved.push({ ref, status: was === undefined ? "new" : "moved" });
    }
    const others = wanted.filter((ref) => !ref.startsWith(CONVERSATIONS)).map((ref) => arrival.refs.get(ref) ?? "");
    await noteArrived(gitDirectory, others);
  } finally {
    await attachHeads(gitDirectory, heads, clock);
  }
  const after = await listAllRefs(gitDirectory);
  const left = names.filter((ref) => after.get(ref) !== arrival.refs.get(ref));
  return [...moved, ...(await rejected(workspace, arrival, left))];
}

/**
 * Only the objects: a git that is killed while it moves names leaves locks that nobody can tell from those of a living one. They come as one
 * pack, whose folder, unlike those of loose objects, is known and can be flushed.
 */
async function fetchObjects(
  { home, gitDirectory, clock }: Workspace,
  arrival: Arrival,
  names: readonly string[],
): Promise<void> {
  await using _ = await takeLock(join(home, "write.lock"), { clock });
  const args = ["fetch", "--no-tags", "--no-write-fetch-head", "--no-auto-gc", "--stdin", "--", arrival.gitDirectory];
  const settings = ["transfer.unpackLimit=1"];
  await runGit({ gitDirectory, args, input: names, settings, env: { GIT_ALLOW_PROTOCOL: "file" } });
  await syncFolder(join(gitDirectory, "objects/pack"));
}

/** Those that went on differently; where a name here has only gone further than theirs, there is nothing to fetch, and no conflict. */
async function rejected(
  { gitDirectory }: Workspace,
  { refs, ...arrival }: Arrival,
  names: readonly string[],
): Promise<readonly TransferredRef[]> {
  const here = await listAllRefs(gitDirectory);
  const differing = await filterAsync(names, async (ref) => {
    const [theirs = "", ours] = [refs.get(ref), here.get(ref)];
    return ours === undefined || !(await leadsTo(arrival.gitDirectory, theirs, ours));
  });
  return differing.map((ref) => ({ ref, status: "rejected", reason: "non-fast-forward" }));
}

async function leadsTo(gitDirectory: string, from: StateId, to: StateId = ""): Promise<boolean> {
  return from === to || (await gitSucceeds({ gitDirectory, args: ["merge-base", "--is-ancestor", from, to] }));
}

/** What is noted here stays; a note on a state that is not here is not needed. */
async function takeNotes(
  workspace: Workspace,
  { objects, refs }: Arrival,
  names: readonly string[],
): Promise<readonly TransferredRef[]> {
  const taken: TransferredRef[] = [];
  const here = await workspace.states.notes();
  for (const ref of names) {
    const id = ref.slice(NOTES.length);
    // Most are the same as the last time: none of them is read.
    if (here.get(id) === refs.get(ref)) continue;
    if ((await workspace.states.type(id)) !== "commit") continue;
    const text = (await objects.content(refs.get(ref) ?? "")).toString("utf8");
    const status = await mergeNote(workspace, id, text);
    if (status === undefined) taken.push({ ref, status: "rejected", reason: "it is not a note" });
    else if (status !== "same") taken.push({ ref, status });
  }
  return taken;
}

/** Not for what it is: the repository there could not take it, or would not. */
function refusedThere(target: string, reason: string): SkeinError {
  return new SkeinError(`The repository did not take it: ${reason}`, {
    kind: "network",
    target,
    retryable: true,
    hint: "Push again; if that fails too, look there for a .lock file left beside the ref by an interrupted push",
  });
}

function unreachable(command: string, target: string, { stderr, exitCode }: UserGitEnd): SkeinError {
  const line =
    hideCredentials(stderr)
      .trim()
      .split("\n")
      .find((text) => /^(?:fatal|error):/u.test(text)) ?? `exit code ${exitCode}`;
  return new SkeinError(`git ${command} failed: ${line.replace(/^(?:fatal|error): /u, "")}`, {
    kind: "network",
    target,
    retryable: true,
    hint: "Check the address, and that git can reach it from a shell",
  });
}
