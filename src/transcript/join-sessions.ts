import { treeOf } from "./model/chains.ts";
import { conversationTree, type ConversationTree } from "./model/conversation-tree.ts";
import { buildMessages } from "./model/build-messages.ts";
import { string } from "./model/content.ts";
import type { Transcript } from "./model/transcript.ts";
import type { TranscriptMessage } from "./model/transcript-message.ts";
import { usageOf } from "./usage/transcript-usage.ts";
import type { CountOptions, UsageReport } from "./usage/usage-counter.ts";

/** A conversation that several files may hold: resumed by copying, forked, or gone on with in another folder. */
export interface LogicalSession {
  /** Its files, the oldest first. */
  readonly transcripts: readonly Transcript[];
  readonly sessionIds: readonly string[];
  /** Of all files, each once. */
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
    const records = ordered.flatMap((transcript) => transcript.records.map(({ record }) => record));
    return {
      transcripts: ordered,
      sessionIds: [...new Set(ordered.flatMap(({ sessionId, sessionIds }) => [sessionId, ...sessionIds]))],
      messages: buildMessages(records.filter((record) => !("isSidechain" in record && record.isSidechain === true))),
      tree: ordered.length === 1 && ordered[0] !== undefined ? treeOf(ordered[0]) : conversationTree(records),
      usage: usageOf(ordered, options),
    };
  });
}

/** Files that have a record, a response or a session in common belong together, directly or through others. */
function groupByShared(transcripts: readonly Transcript[]): readonly (readonly Transcript[])[] {
  const groupOf = new Map<string, Set<Transcript>>();
  const groups = new Set<Set<Transcript>>();
  for (const transcript of transcripts) {
    const group = new Set([transcript]);
    groups.add(group);
    for (const key of keysOf(transcript)) {
      const other = groupOf.get(key);
      if (other !== undefined && other !== group) mergeInto(group, other, { groupOf, groups });
      groupOf.set(key, group);
    }
  }
  return [...groups].map((group) => [...group]);
}

interface Grouping {
  readonly groupOf: Map<string, Set<Transcript>>;
  readonly groups: Set<Set<Transcript>>;
}

function mergeInto(group: Set<Transcript>, other: Set<Transcript>, { groupOf, groups }: Grouping): void {
  for (const member of other) {
    group.add(member);
    for (const key of keysOf(member)) groupOf.set(key, group);
  }
  groups.delete(other);
}

function keysOf(transcript: Transcript): readonly string[] {
  const ids = transcript.messages.flatMap(({ messageId }) => messageId ?? []);
  return [...uuidsOf(transcript), ...ids, `session ${transcript.sessionId}`];
}

/** Copies keep the times of the original: only what a file has for itself tells when it began. A mere prefix is first. */
function oldestFirst(group: readonly Transcript[]): readonly Transcript[] {
  const holders = new Map<string, number>();
  for (const uuid of group.flatMap(uuidsOf)) holders.set(uuid, (holders.get(uuid) ?? 0) + 1);
  const startOf = ({ records }: Transcript): string => {
    const own = records.flatMap(({ record }) => {
      if (!("uuid" in record) || holders.get(string(record.uuid) ?? "") !== 1) return [];
      return string(record.timestamp) ?? [];
    });
    return own.reduce((first, time) => (first === "" || time < first ? time : first), "");
  };
  const starts = new Map(group.map((transcript) => [transcript, startOf(transcript)]));
  return group.toSorted((left, right) => ((starts.get(left) ?? "") < (starts.get(right) ?? "") ? -1 : 1));
}

function uuidsOf({ records }: Transcript): readonly string[] {
  return records.flatMap(({ record }) => ("uuid" in record ? (string(record.uuid) ?? []) : []));
}
