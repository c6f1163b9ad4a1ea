import type { RecordPlace } from "../parse-line.ts";
import type { SkippedPath, TranscriptProblem } from "../problem.ts";
import type { TranscriptRecord } from "../records/transcript-record.ts";
import type { TranscriptMessage } from "./transcript-message.ts";

/** A record and where it stands. */
export interface PlacedRecord {
  readonly record: TranscriptRecord;
  readonly place: RecordPlace;
}

/** Where what is known of a sub-agent was found. */
export type SubagentSource = "file" | "inline" | "progress";

/** A sub-agent's own conversation. */
export interface Subagent {
  /** The CLI's id; for early versions, which gave none, the uuid of its first record. */
  readonly agentId: string;
  readonly source: SubagentSource;
  /** Its file, where it has one. */
  readonly path: string | undefined;
  readonly agentType: string | undefined;
  readonly description: string | undefined;
  /** The call that started it. */
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
  /** `manual` or `auto`. */
  readonly trigger: string | undefined;
  /** The tokens of the context before. */
  readonly preTokens: number | undefined;
  /** The record before it; the compaction itself names no parent. */
  readonly logicalParentUuid: string | undefined;
  /** What the conversation goes on with. */
  readonly summary: string | undefined;
  /** The records that were kept as they are, where the version names them. */
  readonly preservedUuids: readonly string[];
}

/** A transcript file, read whole. */
export interface Transcript {
  readonly path: string;
  /** Of the session that the file is named after, or that most records name. */
  readonly sessionId: string;
  /** All that records name: a file that was resumed by copying holds several. */
  readonly sessionIds: readonly string[];
  /** The CLI versions that wrote it. */
  readonly versions: readonly string[];
  /** The project's real path, as the records name it. */
  readonly cwd: string | undefined;
  readonly title: string | undefined;
  readonly records: readonly PlacedRecord[];
  /** Of the main conversation; those of sub-agents are in `subagents`. */
  readonly messages: readonly TranscriptMessage[];
  readonly subagents: readonly Subagent[];
  readonly compactions: readonly Compaction[];
  readonly problems: readonly TranscriptProblem[];
  /** Files of sub-agents that could not be read. */
  readonly skipped: readonly SkippedPath[];
  /** Whether the last line has no end: half a record of a session that is being written. */
  readonly endsInHalfALine: boolean;
  readonly sizeBytes: number;
}
