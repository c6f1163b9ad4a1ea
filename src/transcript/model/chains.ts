import { conversationTree, type ConversationTree } from "./conversation-tree.ts";
import { findRewound } from "./find-rewound.ts";
import { isCommandText } from "./user-kind.ts";
import type { Transcript } from "./transcript.ts";
import type { TranscriptMessage } from "./transcript-message.ts";

/** The conversation as it stands: all that was said in it, without what was rewound. */
export function mainChain(transcript: Transcript): readonly TranscriptMessage[] {
  const tree = treeOf(transcript);
  const rewound = findRewound(
    tree,
    transcript.records.map(({ record }) => record),
    currentLeaf(transcript, tree),
  );
  if (rewound.size === 0) return transcript.messages;
  return transcript.messages.filter(({ uuids }) => uuids.length === 0 || !uuids.every((uuid) => rewound.has(uuid)));
}

/** The messages from the first one down to the message with this uuid. */
export function threadOf(transcript: Transcript, uuid: string): readonly TranscriptMessage[] {
  return messagesOnPath(transcript.messages, treeOf(transcript), uuid);
}

/** The message that a record belongs to, also among the sub-agents'. */
export function messageByUuid(transcript: Transcript, uuid: string): TranscriptMessage | undefined {
  const all = [...transcript.messages, ...transcript.subagents.flatMap(({ messages }) => messages)];
  return all.find(({ uuids }) => uuids.includes(uuid));
}

/** The tree of all records of a transcript's own file. */
export function treeOf(transcript: Transcript): ConversationTree {
  return conversationTree(transcript.records.map(({ record }) => record));
}

/** The last message, unless the CLI noted that the conversation stands on another branch. */
function currentLeaf(transcript: Transcript, tree: ConversationTree): string | undefined {
  const last = transcript.messages.findLast(isOfConversation)?.uuids.at(-1);
  const noted = transcript.records.findLast(({ record }) => record.type === "last-prompt")?.record;
  const leaf = noted?.type === "last-prompt" ? (noted.leafUuid ?? undefined) : undefined;
  if (leaf === undefined || last === undefined || tree.recordOf(leaf) === undefined) return last;
  // The note is often behind, or names an attachment below the last message: both lie on the same line.
  if (tree.pathTo(last, { acrossCompaction: true }).includes(leaf)) return last;
  return leaf;
}

/** A command that the CLI carried out by itself, and what it printed, may hang from anywhere. */
function isOfConversation({ kind, text }: TranscriptMessage): boolean {
  return kind !== "command-output" && kind !== "meta" && !(kind === "prompt" && isCommandText(text));
}

/** Results of parallel tools hang beside the path, from the calls that lie on it. */
function messagesOnPath(
  messages: readonly TranscriptMessage[],
  tree: ConversationTree,
  leaf: string,
): readonly TranscriptMessage[] {
  const path = new Set(tree.pathTo(leaf, { acrossCompaction: true }));
  const onPath = messages.filter(({ uuids }) => uuids.some((uuid) => path.has(uuid)));
  const calls = new Set(onPath.flatMap(({ toolUses }) => toolUses.map(({ id }) => id)));
  const chosen = new Set(onPath);
  return messages.filter(
    (message) => chosen.has(message) || message.toolResults.some(({ toolUseId }) => calls.has(toolUseId)),
  );
}
