import type { PriceTable } from "../../core/internal.ts";
import type { SkippedPath } from "../problem.ts";
import type { UsageTotals } from "../usage/usage-totals.ts";

/** How far a refresh is: what had to be read when the step began, and what is done of it. */
export interface RefreshProgress {
  /** Transcripts are read for their totals first; for an index, their words are then taken in. */
  readonly step: "reading" | "indexing";
  readonly files: number;
  readonly filesDone: number;
  readonly bytes: number;
  readonly bytesDone: number;
}

/** How totals, or an index, are brought up to date. */
export interface RefreshOptions {
  /** Called after every few megabytes. */
  readonly onProgress?: (progress: RefreshProgress) => void;
  /** Ends the refresh with an error of the kind `cancelled`; what was taken in until then stays. */
  readonly signal?: AbortSignal;
}

/** What a refresh did. */
export interface RefreshReport {
  /** Transcripts found, those of sub-agents included. */
  readonly files: number;
  /** Of these: files from which something was read. */
  readonly filesRead: number;
  /** Of those: files that had been cut or replaced and were read from their start. */
  readonly filesReread: number;
  /** Files that are known and that Claude Code has deleted. */
  readonly filesPurged: number;
  readonly bytesRead: number;
  readonly linesRead: number;
  /** Of these: lines that are no record, or only partly. */
  readonly brokenLines: number;
  /** Such lines of all files that are known, whenever they were read. */
  readonly brokenLinesKnown: number;
  readonly skipped: readonly SkippedPath[];
  readonly durationMs: number;
}

/** The totals of all transcripts: sessions, tokens and money. They are read from the files; what was read is remembered. */
export interface TranscriptTotals extends AsyncDisposable {
  /** Reads what is new in the files. Before it, the others tell what was known last. */
  refresh(options?: RefreshOptions): Promise<RefreshReport>;
  /** The sessions that fit, one page of them, with the sums over all that fit. */
  sessions(query?: SessionQuery): Promise<SessionPage>;
  /** The session with this id, or with the only id that begins so; a file's own session id will do. */
  session(id: string): Promise<IndexedSession>;
  /** The projects that have sessions, the one in which something happened last first. */
  projects(): Promise<readonly ProjectSum[]>;
  /** Tokens and money by day, model, project, tool or session. */
  stats(options: StatsOptions): Promise<UsageStats>;
  /**
   * Writes the kept copies of a session's purged files into a folder, laid out as Claude Code had them, so that `load`
   * reads them. Gives the paths of the sessions' own files. Throws `usage` where a purged file was not kept.
   */
  copyKept(id: string, folder: string): Promise<readonly string[]>;
  /**
   * Turns the keeping of compressed copies on, which stay when Claude Code deletes the transcripts, or off. When it is on, what
   * the last refresh has read is copied now, and what later ones read then. Copies that there are stay in either case.
   */
  archive(options?: ArchiveOptions): Promise<ArchiveReport>;
  close(): Promise<void>;
}

/** Whether copies of transcripts are to be kept. */
export interface ArchiveOptions {
  /** On unless this is false. */
  readonly isOn?: boolean;
  /** Called after each file that is copied. */
  readonly onProgress?: (progress: Omit<RefreshProgress, "step">) => void;
  /** Ends the copying with an error of the kind `cancelled`; what was copied until then stays, and the setting too. */
  readonly signal?: AbortSignal;
}

/** What copies of transcripts are kept, and what they take. */
export interface ArchiveReport {
  readonly isOn: boolean;
  /** Transcripts that are there, and their size. */
  readonly transcripts: number;
  readonly transcriptBytes: number;
  /** Of these: those whose copies were made or brought up to date now. */
  readonly copied: number;
  /** All copies, those of deleted transcripts too, and what they take on the disk. */
  readonly copies: number;
  readonly copyBytes: number;
  /** Transcripts that could not be copied. */
  readonly skipped: readonly SkippedPath[];
}

/** A file of a session. */
export interface IndexedFile {
  readonly path: string;
  readonly sessionId: string;
  readonly isSubagent: boolean;
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
  /** Whether Claude Code has deleted it. */
  readonly isPurged: boolean;
  /** Whether Skein holds a copy of all that was read of it. */
  readonly isKept: boolean;
}

/** How often a session called a tool. */
export interface IndexedToolUse {
  readonly tool: string;
  readonly calls: number;
  readonly errors: number;
}

/** A session: what was forked or resumed into other files is one session with them. */
export interface IndexedSession {
  /** The id of its oldest file's session. */
  readonly id: string;
  /** All ids that belong to it, its own first. */
  readonly sessionIds: readonly string[];
  /** The project's real path, as the records name it. */
  readonly project: string | undefined;
  readonly title: string | undefined;
  readonly firstPrompt: string | undefined;
  readonly startedAtMs: number | undefined;
  readonly endedAtMs: number | undefined;
  /** From the first message to the last; a session that was resumed slept in between. */
  readonly durationMs: number;
  readonly prompts: number;
  /** Prompts, results and answers, of sub-agents too; an answer over several lines is one, a copy none. */
  readonly messages: number;
  readonly subagents: number;
  readonly toolCalls: number;
  readonly toolErrors: number;
  /** The most used first. */
  readonly tools: readonly IndexedToolUse[];
  readonly models: readonly string[];
  readonly versions: readonly string[];
  readonly sizeBytes: number;
  /** Whether none of its own files is there any more. */
  readonly isPurged: boolean;
  /** The files that make it up: the sessions' own first, the oldest first. */
  readonly files: readonly IndexedFile[];
  readonly usage: UsageTotals;
}

/** A project's sessions, summed up. */
export interface ProjectSum {
  /** Its real path, as the records name it; where none does, Claude Code's folder for it. */
  readonly project: string;
  readonly sessions: number;
  /** When something last happened in it; undefined where no record says. */
  readonly endedAtMs: number | undefined;
  readonly usage: UsageTotals;
}

/** Of which project, session and stretch of time something must be. */
export interface PlaceOptions {
  /** A project's real path, its last part, or the name of Claude Code's folder for it. */
  readonly project?: string;
  /** A session's id, or the only one that begins so. */
  readonly session?: string;
  readonly sinceMs?: number;
  readonly untilMs?: number;
}

/** Which sessions are meant: active in the time, and all else that is given must hold too. */
export interface SessionQuery extends Omit<PlaceOptions, "session"> {
  /** Part of the name of a model that answered. */
  readonly model?: string;
  /** The name of a tool that was called. */
  readonly tool?: string;
  readonly minCostUsd?: number;
  /** Only sessions of which this is true. */
  readonly where?: (session: Pick<IndexedSession, "id" | "sessionIds" | "endedAtMs">) => boolean;
  /** The largest or newest first; `recent` unless said. */
  readonly sort?: "recent" | "started" | "cost" | "tokens" | "messages" | "duration";
  /** All, unless said. */
  readonly limit?: number;
  readonly offset?: number;
}

/** A page of sessions. */
export interface SessionPage {
  readonly sessions: readonly IndexedSession[];
  /** Over all sessions that fit, not only those of the page. */
  readonly totals: UsageTotals & { readonly sessions: number };
  readonly prices: Pick<PriceTable, "date" | "source">;
}

/** Which numbers are meant. All that is given must hold. */
export interface StatsOptions extends PlaceOptions {
  readonly by: "day" | "model" | "project" | "tool" | "session";
  /** Part of a model's name. */
  readonly model?: string;
  /** The time zone whose days are meant, such as `Europe/Paris`; the machine's unless said. */
  readonly timeZone?: string;
}

/** The numbers of one group. */
export interface StatsRow extends UsageTotals {
  /** A day as YYYY-MM-DD, a model, a project's path, a tool or a session's id; empty where the records name none. */
  readonly key: string;
  /** Of sessions: the title or the first prompt. */
  readonly label: string | undefined;
  /** Of tools alone. A tool's tokens are its share of the answers that called it, in equal parts. */
  readonly tool: ToolNumbers | undefined;
}

/** How a tool did. */
export interface ToolNumbers {
  readonly calls: number;
  readonly errors: number;
  /** Calls whose result is not in the files. */
  readonly unanswered: number;
  readonly totalDurationMs: number;
  /** From the call to its result; undefined where no call has both times. */
  readonly averageDurationMs: number | undefined;
}

/** Numbers in groups: days in order, all else the costliest first. */
export interface UsageStats extends Pick<StatsOptions, "by"> {
  readonly rows: readonly StatsRow[];
  /** Over everything that fits. Not the sum of the rows of tools: answers without a tool are in it. */
  readonly total: UsageTotals;
  readonly prices: Pick<PriceTable, "date" | "source">;
  /** Models without a price: their tokens are counted, their money is not. */
  readonly unpricedModels: readonly string[];
}
