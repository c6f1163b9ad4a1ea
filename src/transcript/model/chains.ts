import { groupBy } from "../../core/internal.ts";
import { isCommandText, isObject, string } from "../records/content.ts";
import { rawOf } from "../records/transcript-record.ts";
import { conversationTree, type ConversationTree } from "./conversation-tree.ts";
import { allMessages, recordsOf, type Transcript, type TranscriptMessage } from "./transcript.ts";

/** The conversation as it stands: all that was said in it, without what was rewound. */
export function mainChain(transcript: Transcript): readonly TranscriptMessage[] {
  const rewound = findRewound(transcript);
  if (rewound.size === 0) return transcript.messages;
  return transcript.messages.filter(({ uuids }) => uuids.length === 0 || !uuids.every((uuid) => rewound.has(uuid)));
}

/** The messages from the first one down to the message with this uuid. */
export function threadOf(transcript: Transcript, uuid: string): readonly TranscriptMessage[] {
  const { messages } = transcript;
  const path = new Set(treeOf(transcript).pathTo(uuid, { acrossCompaction: true }));
  const onPath = new Set(messages.filter(({ uuids }) => uuids.some((each) => path.has(each))));
  // Results of parallel tools hang beside the path, from the calls that lie on it.
  const calls = new Set([...onPath].flatMap(({ toolUses }) => toolUses.map(({ id }) => id)));
  return messages.filter(
    (message) => onPath.has(message) || message.toolResults.some(({ toolUseId }) => calls.has(toolUseId)),
  );
}

/** The message that a record belongs to, also among the sub-agents'. */
export function messageByUuid(transcript: Transcript, uuid: string): TranscriptMessage | undefined {
  return allMessages(transcript).find(({ uuids }) => uuids.includes(uuid));
}

/** The tree of all records of a transcript's own file. */
export function treeOf(transcript: Transcript): ConversationTree {
  return conversationTree(recordsOf(transcript));
}

/** The last message, unless the CLI noted that the conversation stands on another branch. */
function currentLeaf(transcript: Transcript, tree: ConversationTree): string | undefined {
  const last = transcript.messages.findLast(isOfConversation)?.uuids.at(-1);
  const leaf = recordsOf(transcript).findLast((record) => record.type === "last-prompt")?.leafUuid;
  if (!leaf || last === undefined || tree.recordOf(leaf) === undefined) return last;
  // The note is often behind, or names an attachment below the last message: both lie on the same line.
  return tree.pathTo(last, { acrossCompaction: true }).includes(leaf) ? last : leaf;
}

/** A command that the CLI carried out by itself, and what it printed, may hang from anywhere. */
function isOfConversation({ kind, text }: TranscriptMessage): boolean {
  return kind !== "command-output" && kind !== "meta" && !(kind === "prompt" && isCommandText(text));
}

/**
 * The records that the conversation no longer goes through: where prompts stand under one parent, those below all but the
 * one that leads to where it stands; where none of them does, the last one stands. Nothing else is rewound: a record whose parent is
 * not known was still said.
 */
function findRewound(transcript: Transcript): ReadonlySet<string> {
  const tree = treeOf(transcript);
  if (tree.branches.length === 0) return new Set();
  const path = new Set(tree.pathTo(currentLeaf(transcript, tree) ?? "", { acrossCompaction: true }));
  // What a compaction came after has its boundary as a child too, though the boundary names no parent.
  const raws = recordsOf(transcript).map(rawOf).filter(isObject);
  const continuations = groupBy(raws, (raw) => string(raw["logicalParentUuid"]));
  const open = tree.branches.flatMap(({ promptUuids }) => {
    const taken = promptUuids.find((uuid) => path.has(uuid)) ?? promptUuids.at(-1);
    return promptUuids.filter((uuid) => uuid !== taken);
  });
  const rewound = new Set<string>();
  for (let uuid = open.pop(); uuid !== undefined; uuid = open.pop()) {
    if (rewound.has(uuid) || path.has(uuid)) continue;
    rewound.add(uuid);
    open.push(
      ...tree.childrenOf(uuid),
      ...(continuations.get(uuid) ?? []).flatMap((next) => string(next["uuid"]) ?? []),
    );
  }
  return rewound;
}
