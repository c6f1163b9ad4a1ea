import type { IndexedSessionData } from "../transcripts/indexed-session-data.ts";
import type { PageSource } from "./page-source.ts";

/** Where a page of messages stands in its file. */
export interface PagePlace {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly has_before: boolean;
  readonly has_after: boolean;
}

/** A session that was read to be shown, from Claude Code's own files or from a store. */
export interface ShownSession {
  readonly session: IndexedSessionData;
  readonly source: PageSource;
  /** Null where the whole session was read. */
  readonly page: PagePlace | null;
}
