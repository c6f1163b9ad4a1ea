import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../core/internal.ts";
import { readRefFile, updateRef } from "../../git/index.ts";
import type { StateId } from "./state-commit.ts";
import { BRANCHES, CONVERSATIONS } from "./state-refs.ts";

/** The state that a directory is at, and, while that is the tip of a conversation, the conversation. */
export interface Head {
  readonly stateId: StateId;
  /** The conversation whose tip it follows; none after a restore to an older state. */
  readonly conversationId?: string | undefined;
}

/** Reads a directory's head; undefined where nothing was recorded yet. `ref` is `HEAD`, or a branch's own. */
export async function readHead(gitDirectory: string, ref: string): Promise<Head | undefined> {
  const text = await readRefFile(gitDirectory, ref);
  if (text === undefined || !text.startsWith("ref: ")) return text === undefined ? undefined : { stateId: text };
  const target = text.slice("ref: ".length);
  const stateId = await readRefFile(gitDirectory, target);
  if (stateId === undefined) return undefined;
  return target.startsWith(CONVERSATIONS)
    ? { stateId, conversationId: target.slice(CONVERSATIONS.length) }
    : { stateId };
}

export async function writeHead(
  gitDirectory: string,
  ref: string,
  { head, clock }: { readonly head: Head; readonly clock: Clock },
): Promise<void> {
  const { stateId, conversationId } = head;
  const to = conversationId === undefined ? stateId : `ref: ${CONVERSATIONS}${conversationId}`;
  // A head that follows its conversation has moved with it.
  if ((await readRefFile(gitDirectory, ref)) !== to) await updateRef(gitDirectory, ref, { to, clock });
}

/** A head that follows a conversation, and the state that the files of its directory are really at. */
export type FollowedHead = { readonly ref: string } & Readonly<Record<"conversationId" | "stateId", string>>;

/** Somebody else is about to move the conversation: heads that follow it would name a state whose files are not there. Gives those it changed. */
export async function detachHeads(
  gitDirectory: string,
  { clock, isMeant }: { readonly clock: Clock; isMeant(head: FollowedHead): boolean },
): Promise<readonly FollowedHead[]> {
  const names = await readdir(join(gitDirectory, BRANCHES)).catch(() => []);
  const refs = ["HEAD", ...names.filter((name) => !name.endsWith(".lock")).map((name) => `${BRANCHES}${name}`)];
  const detached: FollowedHead[] = [];
  for (const ref of refs) {
    const { stateId = "", conversationId } = (await readHead(gitDirectory, ref)) ?? {};
    if (conversationId === undefined || !isMeant({ ref, conversationId, stateId })) continue;
    const change = { to: stateId, expected: `ref: ${CONVERSATIONS}${conversationId}`, clock };
    if (await updateRef(gitDirectory, ref, change)) detached.push({ ref, conversationId, stateId });
  }
  return detached;
}

/** Has heads follow their conversations again, as far as those are still where the heads are. */
export async function attachHeads(gitDirectory: string, heads: readonly FollowedHead[], clock: Clock): Promise<void> {
  for (const { ref, conversationId, stateId } of heads) {
    const target = `${CONVERSATIONS}${conversationId}`;
    if ((await readRefFile(gitDirectory, target)) !== stateId) continue;
    await updateRef(gitDirectory, ref, { to: `ref: ${target}`, expected: stateId, clock });
  }
}
