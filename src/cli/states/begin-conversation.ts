import { sep } from "node:path";
import { SkeinError } from "../../core/index.ts";
import { Conversation, type ConversationParts, type ForeignSession } from "../../trace/index.ts";
import type { Workspace } from "../../workspace/index.ts";
import { shortId } from "./short-id.ts";

/** Where a conversation is to begin: with the files as they are, where the directory stands, at a named state, or with a session. */
export interface Beginning {
  readonly continue: boolean;
  readonly from?: string | undefined;
  /** A session of Claude Code's own: its id, the beginning of one, or the path of its transcript. */
  readonly import?: string | undefined;
}

/** Opens the conversation that a turn belongs to. */
export async function beginConversation(
  workspace: Workspace,
  beginning: Beginning,
  parts: ConversationParts,
): Promise<Conversation> {
  if (beginning.import !== undefined) return await Conversation.import(workspace, toSession(beginning.import), parts);
  if (beginning.from === undefined && !beginning.continue) return await Conversation.start(workspace, parts);
  const head = await workspace.states.head();
  // With nothing recorded yet, resolving says so.
  const here = head?.stateId ?? (await workspace.states.resolve("@"));
  const from = beginning.from ?? "@";
  const id = await workspace.states.resolve(from);
  if (id !== here) throw elsewhere(workspace, { from, id, here });
  return await Conversation.load(workspace, head?.conversationId ?? id, parts);
}

/** An id is never a path. */
function toSession(named: string): ForeignSession {
  return named.endsWith(".jsonl") || named.includes(sep) ? { file: named } : named;
}

function elsewhere(
  { path }: Workspace,
  { from, id, here }: { readonly from: string; readonly id: string; readonly here: string },
): SkeinError {
  return new SkeinError(`The head of ${path} is ${shortId(here)}, not ${from}`, {
    kind: "usage",
    target: from,
    hint: `Go there first: skein restore ${shortId(id)}. Or work beside it: skein branch ${shortId(id)}`,
  });
}
