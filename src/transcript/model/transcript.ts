import type { SkippedPath, TranscriptProblem } from "../problem.ts";
import type { RecordPlace } from "../read/parse-transcript.ts";
import type { ContentBlock, Image, UserKind } from "../records/content.ts";
import type { TranscriptRecord } from "../records/transcript-record.ts";
import type { UsageLine } from "../usage/usage-line.ts";

/** A sub-agent's own conversation. */
export interface Subagent {
  /** The CLI's id; for early versions, which gave none, the uuid of its first record. */
  readonly agentId: string;
  readonly source: "file" | "inline" | "progress";
  readonly path: string | undefined;
  readonly agentType: string | undefined;
  readonly description: string | undefined;
  readonly parentToolUseId: string | undefined;
  /** The sub-agent that made this call; undefined for the main conversation. */
  readonly parentAgentId: string | undefined;
  /** Whether it only wrote the summary of a compaction. */
  readonly isCompaction: boolean;
  readonly records: readonly TranscriptRecord[];
  readonly messages: readonly TranscriptMessage[];
  readonly problems: readonly TranscriptProblem[];
}

/** A place where the conversation was cut down to a summary. */
export interface Compaction {
  readonly uuid: string | undefined;
  readonly timestamp: string | undefined;
  readonly trigger: string | undefined;
  readonly preTokens: number | undefined;
  /** The record before it; the compaction itself names no parent. */
  readonly logicalParentUuid: string | undefined;
  readonly summary: string | undefined;
  readonly preservedUuids: readonly string[];
}

/** A transcript file, read whole. */
export interface Transcript {
  readonly path: string;
  /** Of the session that the file is named after, or that most records name. */
  readonly sessionId: string;
  /** All that records name: a file that was resumed by copying holds several. */
  readonly sessionIds: readonly string[];
  readonly versions: readonly string[];
  /** The project's real path, as the records name it. */
  readonly cwd: string | undefined;
  readonly title: string | undefined;
  readonly records: readonly { readonly record: TranscriptRecord; readonly place: RecordPlace }[];
  /** Of the main conversation; those of sub-agents are in `subagents`. */
  readonly messages: readonly TranscriptMessage[];
  readonly subagents: readonly Subagent[];
  readonly compactions: readonly Compaction[];
  readonly problems: readonly TranscriptProblem[];
  readonly skipped: readonly SkippedPath[];
  /** Whether the last line has no end: half a record of a session that is being written. */
  readonly endsInHalfALine: boolean;
  readonly sizeBytes: number;
}

/** What a tool gave back. */
export interface ToolResult {
  readonly toolUseId: string;
  readonly text: string;
  readonly isError: boolean;
  readonly isInterrupted: boolean;
  readonly uuid: string | undefined;
  readonly timestamp: string | undefined;
  readonly images: readonly Image[];
  /** The tool's own account, in its own shape: an object, a list, or the text of an error. */
  readonly details: unknown;
}

/** A tool that the model called. */
export interface ToolUse {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly timestamp: string | undefined;
  /** Missing where the file has none: the tool is running, or the session ended before it did. */
  readonly result: ToolResult | undefined;
  /** From the call to its result, or what the tool states. */
  readonly durationMs: number | undefined;
}

/** A message of a conversation. A response of the model is one message, over however many lines it was written. */
export interface TranscriptMessage {
  readonly role: "user" | "assistant";
  readonly kind: UserKind | "answer";
  readonly uuid: string | undefined;
  /** Of all records that it was written in; `uuid` is the first. */
  readonly uuids: readonly string[];
  readonly parentUuid: string | undefined;
  readonly messageId: string | undefined;
  readonly requestId: string | undefined;
  readonly text: string;
  readonly thinking: string;
  readonly toolUses: readonly ToolUse[];
  readonly toolResults: readonly ToolResult[];
  readonly images: readonly Image[];
  readonly blocks: readonly ContentBlock[];
  readonly model: string | undefined;
  readonly stopReason: string | undefined;
  /** As the last record states it. Where `isFinal` is false the counts are a lower bound. */
  readonly usage: UsageLine | undefined;
  readonly timestamp: string | undefined;
  readonly endTimestamp: string | undefined;
  readonly sessionId: string | undefined;
  readonly agentId: string | undefined;
  readonly isSidechain: boolean;
  readonly cwd: string | undefined;
  readonly gitBranch: string | undefined;
  /** Whether it stands for an error of the API instead of an answer. */
  readonly isApiError: boolean;
}

export function allMessages({ messages, subagents }: Transcript): readonly TranscriptMessage[] {
  return [...messages, ...subagents.flatMap((subagent) => subagent.messages)];
}

export function recordsOf({ records }: Pick<Transcript, "records">): readonly TranscriptRecord[] {
  return records.map(({ record }) => record);
}
