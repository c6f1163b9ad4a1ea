import type { PriceTable } from "../../core/internal.ts";
import type { SkippedPath } from "../problem.ts";
import type { UsageTotals } from "../usage/usage-totals.ts";

/** How an index is brought up to date. */
export interface RefreshOptions {
  /** Called after every few megabytes, with what had to be read when the refresh began and what is done of it. */
  readonly onProgress?: (progress: {
    readonly files: number;
    readonly filesDone: number;
    readonly bytes: number;
    readonly bytesDone: number;
  }) => void;
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
  /** Files that the index knows and that Claude Code has deleted. */
  readonly filesPurged: number;
  readonly bytesRead: number;
  readonly linesRead: number;
  /** Of these: lines that are no record, or only partly. */
  readonly brokenLines: number;
  /** Such lines of all files that the index knows, whenever they were read. */
  readonly brokenLinesKnown: number;
  readonly skipped: readonly SkippedPath[];
  readonly durationMs: number;
}

/**
 * The index of all transcripts: sessions, messages, tools, usage and full text. It is made of the files and can be made of
 * them again. Where a call throws an `UnusableDatabaseError`, the file was damaged and is gone: open the index again.
 */
export interface TranscriptIndex extends AsyncDisposable {
  /**
   * Reads what is new in the files. Any number of processes may do so at once: one reads, the others wait for it. After
   * it, all that stood in the files when it was called can be found.
   */
  refresh(options?: RefreshOptions): Promise<RefreshReport>;
  /** The sessions that fit, one page of them, with the sums over all that fit. */
  sessions(query?: SessionQuery): Promise<SessionPage>;
  /** The session with this id, or with the only id that begins so; a file's own session id will do. */
  session(id: string): Promise<IndexedSession>;
  /** The messages that hold all the words, the best first. */
  search(words: string, options?: SearchOptions): Promise<SearchPage>;
  /** Tokens and money by day, model, project, tool or session. */
  stats(options: StatsOptions): Promise<UsageStats>;
  /**
   * Writes the kept copies of a session's purged files into a folder, laid out as Claude Code had them, so that `load`
   * reads them. Gives the paths of the sessions' own files. Throws `usage` where a purged file was not kept.
   */
  copyKept(id: string, folder: string): Promise<readonly string[]>;
  close(): Promise<void>;
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

/** A session as the index knows it: what was forked or resumed into other files is one session with them. */
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

/** Where words are looked for: in prompts, answers, thinking, what tools were given and gave, or titles. */
export type SearchRole = "prompt" | "answer" | "thinking" | "tool" | "title";

/** Where to look, and how much to give. All that is given must hold. */
export interface SearchOptions extends PlaceOptions {
  readonly role?: SearchRole;
  /** 20 unless said. */
  readonly limit?: number;
  readonly offset?: number;
}

/** A part of a hit's text around the words. */
export interface Snippet {
  readonly text: string;
  /** Where in `text` the words stand: start and end, in UTF-16 units, in order. */
  readonly ranges: readonly (readonly [start: number, end: number])[];
  /** Whether text was left out before and after. */
  readonly isCutBefore: boolean;
  readonly isCutAfter: boolean;
}

/** A record that holds the words. */
export interface SearchHit {
  /** The logical session: what `session()` takes. */
  readonly sessionId: string;
  readonly project: string | undefined;
  readonly sessionTitle: string | undefined;
  /** The part of the record that holds most of the words. */
  readonly role: SearchRole;
  readonly uuid: string | undefined;
  readonly agentId: string | undefined;
  readonly timestampMs: number | undefined;
  readonly path: string;
  readonly offset: number;
  /** How well it fits: the larger, the better. */
  readonly rank: number;
  /** Undefined where the file was purged and no copy was kept, or cannot be read. */
  readonly snippet: Snippet | undefined;
}

/** A page of hits. */
export interface SearchPage {
  readonly hits: readonly SearchHit[];
  readonly hasMore: boolean;
  /** Whether so many records hold the words that only the newest of them were ranked. */
  readonly isPartial: boolean;
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
