import { groupBy } from "../../core/internal.ts";
import { createSets } from "../disjoint-sets.ts";
import { fieldOf, isSidechain } from "../records/transcript-record.ts";
import { usageOf } from "../usage/transcript-usage.ts";
import type { CountOptions, UsageReport } from "../usage/usage-counter.ts";
import { buildMessages } from "./build-messages.ts";
import { conversationTree, type ConversationTree } from "./conversation-tree.ts";
import { recordsOf, type Transcript, type TranscriptMessage } from "./transcript.ts";

/** A conversation that several files may hold: resumed by copying, forked, or gone on with in another folder. */
export interface LogicalSession {
  /** Its files, the oldest first. */
  readonly transcripts: readonly Transcript[];
  readonly sessionIds: readonly string[];
  readonly messages: readonly TranscriptMessage[];
  /** Of all files: where one was forked from another there is a branch. */
  readonly tree: ConversationTree;
  readonly usage: UsageReport;
}

/** Joins the transcripts that share records. A prefix that was copied is neither shown nor counted twice. */
export function joinSessions(
  transcripts: readonly Transcript[],
  options: CountOptions = {},
): readonly LogicalSession[] {
  return groupByShared(transcripts).map((group) => {
    const ordered = oldestFirst(group);
    const records = ordered.flatMap(recordsOf);
    return {
      transcripts: ordered,
      sessionIds: [...new Set(ordered.flatMap(({ sessionId, sessionIds }) => [sessionId, ...sessionIds]))],
      messages: buildMessages(records.filter((record) => !isSidechain(record))),
      tree: conversationTree(records),
      usage: usageOf(ordered, options),
    };
  });
}

/** Files that have a record, a response or a session in common belong together, directly or through others. */
function groupByShared(transcripts: readonly Transcript[]): readonly (readonly Transcript[])[] {
  const sets = createSets<Transcript | string>();
  for (const transcript of transcripts) for (const key of keysOf(transcript)) sets.join(transcript, key);
  return [...groupBy(transcripts, sets.find).values()];
}

function keysOf(transcript: Transcript): readonly string[] {
  const ids = transcript.messages.flatMap(({ messageId }) => messageId ?? []);
  return [...uuidsOf(transcript), ...ids, `session ${transcript.sessionId}`];
}

/** Copies keep the times of the original: only what a file has for itself tells when it began. A mere prefix is first. */
function oldestFirst(group: readonly Transcript[]): readonly Transcript[] {
  const holders = groupBy(group.flatMap(uuidsOf), (uuid) => uuid);
  const startOf = ({ records }: Transcript): string => {
    const own = records.filter(({ record }) => holders.get(fieldOf(record, "uuid") ?? "")?.length === 1);
    return own.flatMap(({ record }) => fieldOf(record, "timestamp") ?? []).toSorted()[0] ?? "";
  };
  const starts = new Map(group.map((transcript) => [transcript, startOf(transcript)]));
  return group.toSorted((left, right) => ((starts.get(left) ?? "") < (starts.get(right) ?? "") ? -1 : 1));
}

function uuidsOf({ records }: Transcript): readonly string[] {
  return records.flatMap(({ record }) => fieldOf(record, "uuid") ?? []);
}
