import type { Clock } from "../../core/index.ts";
import type { StateId } from "./state-commit.ts";
import { readRefFile, updateRef } from "../../git/index.ts";

/** Where a directory stands: at a state, and, while it is at the tip of a conversation, with that. */
export interface Head {
  readonly stateId: StateId;
  /** The conversation whose tip it follows; none after a restore to an older state. */
  readonly conversationId?: string;
}

/** The refs below which conversations are. */
export const CONVERSATIONS = "refs/skein/conversations/";

/** Reads where a directory stands; undefined where nothing was recorded yet. `ref` is `HEAD`, or a branch's own. */
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

/** Moves a directory's head to a conversation's tip, or to a state alone. */
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
