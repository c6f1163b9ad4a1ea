import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../core/index.ts";
import { CONVERSATIONS } from "./head.ts";
import { BRANCHES } from "./list-states.ts";
import type { StateId } from "./state-commit.ts";
import { readRefFile, updateRef } from "../../git/index.ts";

/** A head that follows a conversation, and the state at which its directory really stands. */
export interface FollowedHead {
  readonly ref: string;
  readonly conversationId: string;
  readonly stateId: StateId;
}

/**
 * The conversation is about to be moved by somebody else: heads that follow it are set to the state that their files are
 * at, or they would name one whose files are not there. Gives those that it changed.
 */
export async function detachHeads(
  gitDirectory: string,
  { clock, isMeant }: { readonly clock: Clock; isMeant(head: FollowedHead): boolean },
): Promise<readonly FollowedHead[]> {
  const detached: FollowedHead[] = [];
  for (const head of await listFollowed(gitDirectory)) {
    const { ref, conversationId, stateId } = head;
    if (!isMeant(head)) continue;
    const expected = `ref: ${CONVERSATIONS}${conversationId}`;
    if (await updateRef(gitDirectory, ref, { to: stateId, expected, clock })) detached.push(head);
  }
  return detached;
}

/** Has heads follow their conversations again, as far as those are still where the heads stand. */
export async function attachHeads(gitDirectory: string, heads: readonly FollowedHead[], clock: Clock): Promise<void> {
  for (const { ref, conversationId, stateId } of heads) {
    const target = `${CONVERSATIONS}${conversationId}`;
    if ((await readRefFile(gitDirectory, target)) !== stateId) continue;
    await updateRef(gitDirectory, ref, { to: `ref: ${target}`, expected: stateId, clock });
  }
}

async function listFollowed(gitDirectory: string): Promise<readonly FollowedHead[]> {
  const names = await readdir(join(gitDirectory, BRANCHES)).catch(() => []);
  const refs = ["HEAD", ...names.filter((name) => !name.endsWith(".lock")).map((name) => `${BRANCHES}${name}`)];
  const found: FollowedHead[] = [];
  for (const ref of refs) {
    const target = /^ref: (.*)$/u.exec((await readRefFile(gitDirectory, ref)) ?? "")?.[1];
    if (!target?.startsWith(CONVERSATIONS)) continue;
    const stateId = await readRefFile(gitDirectory, target);
    if (stateId !== undefined) found.push({ ref, conversationId: target.slice(CONVERSATIONS.length), stateId });
  }
  return found;
}
