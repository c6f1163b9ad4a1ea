import type {
  IndexedSession,
  RefreshOptions,
  RefreshReport,
  SessionPage,
  SessionQuery,
  StatsOptions,
  UsageStats,
} from "../index-store/transcript-index.ts";

/** The totals of all transcripts: sessions, tokens and money. They are read from the files; what was read is remembered. */
export interface TranscriptTotals extends AsyncDisposable {
  /** Reads what is new in the files. Before it, the others tell what was known last. */
  refresh(options?: RefreshOptions): Promise<RefreshReport>;
  /** The sessions that fit, one page of them, with the sums over all that fit. */
  sessions(query?: SessionQuery): Promise<SessionPage>;
  /** The session with this id, or with the only id that begins so; a file's own session id will do. */
  session(id: string): Promise<IndexedSession>;
  /** Tokens and money by day, model, project, tool or session. */
  stats(options: StatsOptions): Promise<UsageStats>;
  /**
   * Writes the kept copies of a session's purged files into a folder, laid out as Claude Code had them, so that `load`
   * reads them. Gives the paths of the sessions' own files. Throws `usage` where a purged file was not kept.
   */
  copyKept(id: string, folder: string): Promise<readonly string[]>;
  close(): Promise<void>;
}
