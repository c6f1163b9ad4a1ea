import { existsSync } from "node:fs";
import { access } from "node:fs/promises";
import { resolve } from "node:path";
import { SkeinError } from "../core/index.ts";
import { attachHeads, detachHeads } from "./followed-heads.ts";
import { CONVERSATIONS } from "./head.ts";
import { CHECKPOINTS } from "./resolve-state.ts";
import type { StateId } from "./state-commit.ts";
import { listRefs } from "./state-refs.ts";
import { storageError } from "./storage-error.ts";
import { NOTES } from "./named-states.ts";
import { runUserGit, type UserGitEnd } from "./user-git.ts";
import { findUserRepository } from "./user-repository.ts";
import type { Workspace } from "./workspace.ts";

/** What became of one name when states were sent or fetched. */
export interface TransferredRef {
  /** A conversation, a checkpoint or a note, in full. */
  readonly ref: string;
  /** `rejected`: the other side has gone on differently, and nothing was changed. */
  readonly status: "new" | "moved" | "same" | "rejected";
  readonly reason?: string;
}

/** Names that only ever go forward, and notes, of which the sender's count. */
const REFSPECS = [
  `${CONVERSATIONS}*:${CONVERSATIONS}*`,
  `${CHECKPOINTS}*:${CHECKPOINTS}*`,
  `+${NOTES}*:${NOTES}*`,
] as const;

/** Sends all states to a git remote: an address, a path, or the name of a remote of the workspace's own repository. */
export async function pushStates(
  workspace: Workspace,
  remote: string,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<readonly TransferredRef[]> {
  const { gitDirectory } = workspace;
  const address = await addressOf(workspace, remote);
  const end = await runUserGit(gitDirectory, ["push", "--porcelain", "--no-verify", "--", address, ...REFSPECS], {
    signal,
  });
  const refs = end.stdout.split("\n").flatMap((line) => {
    const [, flag = "", ref = "", words = ""] = /^([ *=!+])\t\S*:(\S+)\t(.*)$/u.exec(line) ?? [];
    if (ref === "") return [];
    const reason = /\((.*)\)/u.exec(words)?.[1];
    return [{ ref, status: PUSH_STATUS[flag] ?? "moved", ...(flag === "!" && reason ? { reason } : {}) }];
  });
  if (refs.length === 0 && end.exitCode !== 0) throw unreachable("push", remote, end);
  return refs;
}

const PUSH_STATUS: Readonly<Record<string, TransferredRef["status"]>> = { "*": "new", "=": "same", "!": "rejected" };

/** Fetches all states of a git remote. A directory whose conversation went on there stays at the state that it is at. */
export async function pullStates(
  workspace: Workspace,
  remote: string,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<readonly TransferredRef[]> {
  return await fetchStates(workspace, { address: await addressOf(workspace, remote), refspecs: REFSPECS, signal });
}

/** Writes a conversation with everything that led to it into one file, a git bundle. */
export async function saveConversation(workspace: Workspace, conversationId: string, file: string): Promise<void> {
  if ((await workspace.states.tip(conversationId)) === undefined) {
    throw new SkeinError(`There is no conversation ${conversationId}`, {
      kind: "state_not_found",
      target: conversationId,
    });
  }
  const ref = `${CONVERSATIONS}${conversationId}`;
  // For its owner's eyes: everything that the agent was told is in it, and files of the workspace that only the owner may read.
  const args = ["-c", "core.sharedRepository=0600", "bundle", "create", "--quiet", resolve(file), ref];
  const end = await runUserGit(workspace.gitDirectory, args);
  if (end.exitCode === 0) return;
  throw new SkeinError(`The conversation could not be written to ${file}`, {
    kind: "filesystem",
    target: file,
    cause: end.stderr.trim(),
  });
}

/** Takes the conversations of such a file in, and gives them with their tips. */
export async function loadConversations(workspace: Workspace, file: string): Promise<ReadonlyMap<string, StateId>> {
  const { gitDirectory } = workspace;
  await access(file).catch((cause: unknown) => {
    throw storageError("The file cannot be read", file, cause);
  });
  const heads = await runUserGit(gitDirectory, ["bundle", "list-heads", resolve(file)]);
  const found = heads.stdout.split("\n").flatMap((line) => {
    const [id = "", ref = ""] = line.split(" ");
    return ref.startsWith(CONVERSATIONS) ? [[ref.slice(CONVERSATIONS.length), id] as const] : [];
  });
  if (found.length === 0) {
    throw new SkeinError(`${file} holds no conversation`, {
      kind: "parse",
      target: file,
      hint: "Give a file that skein save has written",
      cause: heads.stderr.trim() || undefined,
    });
  }
  const refspecs = [`${CONVERSATIONS}*:${CONVERSATIONS}*`];
  const refs = await fetchStates(workspace, { address: resolve(file), refspecs, signal: undefined });
  const rejected = refs.find(({ status }) => status === "rejected");
  if (!rejected) return new Map(found);
  throw new SkeinError(`${rejected.ref} has gone on differently here`, {
    kind: "usage",
    target: file,
    hint: "Nothing was changed; load it into another workspace to compare",
  });
}

interface Fetch {
  readonly address: string;
  readonly refspecs: readonly string[];
  readonly signal: AbortSignal | undefined;
}

async function fetchStates(
  workspace: Workspace,
  { address, refspecs, signal }: Fetch,
): Promise<readonly TransferredRef[]> {
  const { gitDirectory, clock } = workspace;
  // A head that follows a conversation would then stand at a state whose files are not there.
  const heads = await detachHeads(gitDirectory, { clock, isMeant: () => true });
  const before = await listRefs(gitDirectory, "refs/skein/");
  const args = ["fetch", "--no-tags", "--no-write-fetch-head", "--no-auto-gc", "--", address, ...refspecs];
  let end: UserGitEnd;
  try {
    end = await runUserGit(gitDirectory, args, { signal });
  } finally {
    await attachHeads(gitDirectory, heads, clock);
  }
  const after = await listRefs(gitDirectory, "refs/skein/");
  const rejected = [...end.stderr.matchAll(/^ ! \[rejected\]\s+\S+\s+-> (\S+)\s+\((.*)\)$/gmu)].map(
    ([, ref = "", reason = ""]) => ({ ref, status: "rejected" as const, reason }),
  );
  if (end.exitCode !== 0 && rejected.length === 0) throw unreachable("fetch", address, end);
  const moved = [...after].flatMap(([name, id]): TransferredRef[] => {
    const was = before.get(name);
    if (was === id) return [];
    return [{ ref: `refs/skein/${name}`, status: was === undefined ? "new" : "moved" }];
  });
  return [...moved, ...rejected];
}

/** `origin` means what it means in the workspace's own repository; a path is the caller's, not the store's. */
async function addressOf({ path }: Workspace, remote: string): Promise<string> {
  const user = /^[\w.-]+$/u.test(remote) ? findUserRepository(path) : undefined;
  if (!user) return pathOr(remote);
  const { exitCode, stdout } = await runUserGit(user.gitDirectory, ["remote", "get-url", "--", remote]);
  return exitCode === 0 ? pathOr(stdout.trim(), path) : pathOr(remote);
}

function pathOr(remote: string, base = "."): string {
  const path = resolve(base, remote);
  return existsSync(path) ? path : remote;
}

function unreachable(command: string, target: string, { stderr, exitCode }: UserGitEnd): SkeinError {
  const line =
    stderr
      .trim()
      .split("\n")
      .find((text) => /^(?:fatal|error):/u.test(text)) ?? `exit code ${exitCode}`;
  return new SkeinError(`git ${command} failed: ${line.replace(/^(?:fatal|error): /u, "")}`, {
    kind: "network",
    target,
    retryable: true,
    hint: "Check the address and that git can reach it from a shell",
  });
}
