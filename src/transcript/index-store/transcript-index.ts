import type { SkippedPath } from "../problem.ts";
import type { UsageTotals } from "../usage/usage-totals.ts";
import type { SearchOptions, SearchPage } from "./search-options.ts";
import type { SessionPage, SessionQuery } from "./session-query.ts";
import type { IndexedSession } from "./indexed-session.ts";
import type { StatsOptions, UsageStats } from "./stats-options.ts";

/** How far a refresh has come. */
export interface RefreshProgress {
  /** Files with something new, and those of them that are done. */
  readonly files: number;
  readonly filesDone: number;
  /** Bytes that had to be read when the refresh began, and those read so far. */
  readonly bytes: number;
  readonly bytesDone: number;
}

/** How an index is brought up to date. */
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
  /** Files that the index knows and that Claude Code has deleted. */
  readonly filesPurged: number;
  readonly bytesRead: number;
  readonly linesRead: number;
  /** Of these: lines that are no record, or only partly. */
  readonly brokenLines: number;
  /** Such lines of all files that the index knows, whenever they were read. */
  readonly brokenLinesKnown: number;
  /** Files and folders that could not be read. */
  readonly skipped: readonly SkippedPath[];
  readonly durationMs: number;
}

/** Sums over sessions. */
export interface SessionTotals extends UsageTotals {
  readonly sessions: number;
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
