import {
  countMessages,
  createUsageCounter,
  joinSessions,
  mainChain,
  type CountedMessage,
  type LogicalSession,
  type Subagent,
  type Transcript,
  type TranscriptMessage,
} from "../transcript/internal.ts";

/** Why a turn is no part of the conversation as it stands: taken back, or gone on with in another session. */
export type BranchMark = "rewound" | "other branch";

export interface PageSource {
  readonly messages: readonly TranscriptMessage[];
  readonly subagents: readonly Subagent[];
  /** The records that the conversation no longer stands on. */
  readonly marks: ReadonlyMap<string, BranchMark>;
  readonly counted: readonly CountedMessage[];
}

/** The whole of some transcripts that belong together. */
export function sourceOfTranscripts(transcripts: readonly Transcript[]): PageSource {
  const joined = joinSessions(transcripts);
  return {
    // A sub-agent's file alone has nothing but a side chain: `load` takes that for the conversation.
    messages: joined.flatMap(({ messages, transcripts: own }) =>
      messages.length > 0 ? messages : own.flatMap((transcript) => transcript.messages),
    ),
    subagents: uniqueSubagents(transcripts),
    marks: new Map(joined.flatMap((session) => [...marksOf(session)])),
    counted: countMessages(transcripts),
  };
}

export function sourceOfMessages(messages: readonly TranscriptMessage[]): PageSource {
  const counter = createUsageCounter();
  for (const { usage } of messages) if (usage !== undefined) counter.add(usage, "");
  return { messages, subagents: [], marks: new Map(), counted: counter.messages() };
}

/** Files that were forked from each other hold the same sub-agents: the one of which most is known is shown. */
function uniqueSubagents(transcripts: readonly Transcript[]): readonly Subagent[] {
  const byId = new Map<string, Subagent>();
  for (const subagent of transcripts.flatMap(({ subagents }) => subagents)) {
    const known = byId.get(subagent.agentId);
    if (known === undefined || known.messages.length < subagent.messages.length) byId.set(subagent.agentId, subagent);
  }
  return [...byId.values()];
}

/** Where a conversation was taken up twice, the way that it goes now is kept, and the others are marked with all that followed. */
function marksOf({ transcripts, tree }: LogicalSession): ReadonlyMap<string, BranchMark> {
  const newest = transcripts.at(-1);
  const current = new Set(newest === undefined ? [] : mainChain(newest).flatMap(({ uuids }) => uuids));
  const mark: BranchMark = transcripts.length > 1 ? "other branch" : "rewound";
  const marks = new Map<string, BranchMark>();
  const open = tree.branches.flatMap(({ promptUuids }) => {
    const kept = promptUuids.find((uuid) => current.has(uuid)) ?? promptUuids.at(-1);
    return promptUuids.filter((uuid) => uuid !== kept);
  });
  for (let uuid = open.pop(); uuid !== undefined; uuid = open.pop()) {
    if (marks.has(uuid)) continue;
    marks.set(uuid, mark);
    open.push(...tree.childrenOf(uuid));
  }
  return marks;
}
