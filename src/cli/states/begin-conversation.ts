import { SkeinError } from "../../core/index.ts";
import { Conversation, type ConversationParts } from "../../trace/index.ts";
import type { Workspace } from "../../workspace/index.ts";
import { shortId } from "./short-id.ts";

/** Where a conversation is to begin: with the files as they are, where the directory stands, or at a named state. */
export interface Beginning {
  readonly continue: boolean;
  readonly from?: string | undefined;
}

/** Opens the conversation that a turn belongs to. */
export async function beginConversation(
  workspace: Workspace,
  beginning: Beginning,
  parts: ConversationParts,
): Promise<Conversation> {
  if (beginning.from === undefined && !beginning.continue) return await Conversation.start(workspace, parts);
  const head = await workspace.states.head();
  // With nothing recorded yet, resolving says so.
  const here = head?.stateId ?? (await workspace.states.resolve("@"));
  const from = beginning.from ?? "@";
  const id = await workspace.states.resolve(from);
  if (id !== here) throw elsewhere(workspace, { from, id, here });
  return await Conversation.load(workspace, head?.conversationId ?? id, parts);
}

function elsewhere(
  { path }: Workspace,
  { from, id, here }: { readonly from: string; readonly id: string; readonly here: string },
): SkeinError {
  return new SkeinError(`${path} stands at ${shortId(here)}, not at ${from}`, {
    kind: "usage",
    target: from,
    hint: `Go there first: skein restore ${shortId(id)}. Or work beside it: skein branch ${shortId(id)}`,
  });
}
