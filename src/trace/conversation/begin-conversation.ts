import { sep } from "node:path";
import { SkeinError } from "../../core/internal.ts";
import type { Workspace } from "../../workspace/internal.ts";
import { Conversation, type ConversationParts } from "./conversation.ts";
import type { ForeignSession } from "../session/import-session.ts";

/** Where a conversation is to begin: with the files as they are unless one of these is said. */
export interface ConversationBeginning {
  /** At the head. */
  readonly continue?: boolean | undefined;
  /** At a state, which has to be the head. */
  readonly from?: string | undefined;
  /** In a session of Claude Code's own, by its id; its turns are not recorded. */
  readonly resume?: string | undefined;
  /** With a session of Claude Code's own, which is recorded: its id, the beginning of one, or the path of its transcript. */
  readonly import?: string | undefined;
}

export async function beginConversation(
  workspace: Workspace,
  beginning: ConversationBeginning,
  parts: ConversationParts,
): Promise<Conversation> {
  if (beginning.import !== undefined) return await Conversation.import(workspace, toSession(beginning.import), parts);
  if (beginning.resume !== undefined) return await Conversation.resume(workspace, beginning.resume, parts);
  if (beginning.from === undefined && !beginning.continue) return await Conversation.start(workspace, parts);
  const head = await workspace.states.head();
  // With nothing recorded yet, resolving says so.
  const here = head?.stateId ?? (await workspace.states.resolve("@"));
  const from = beginning.from ?? "@";
  const id = await workspace.states.resolve(from);
  if (id !== here) {
    const short = id.slice(0, 12);
    throw new SkeinError(`The head of ${workspace.path} is ${here.slice(0, 12)}, not ${from}`, {
      kind: "usage",
      target: from,
      hint: `Go there first: skein restore ${short}. Or work beside it: skein branch ${short}`,
    });
  }
  return await Conversation.load(workspace, head?.conversationId ?? id, parts);
}

function toSession(named: string): ForeignSession {
  return named.endsWith(".jsonl") || named.includes(sep) ? { file: named } : named;
}
