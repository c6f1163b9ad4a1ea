import type { IndexedSession } from "./indexed-session.ts";
import type { SessionTotals } from "./transcript-index.ts";

/** By what sessions are ordered; the largest or newest first. */
export type SessionSort = "recent" | "started" | "cost" | "tokens" | "messages" | "duration";

/** Which sessions are meant. All that is given must hold. */
export interface SessionQuery {
  /** A project's real path, its last part, or the name of Claude Code's folder for it. */
  readonly project?: string;
  /** Active at this moment or later. */
  readonly sinceMs?: number;
  /** Active before this moment. */
  readonly untilMs?: number;
  /** Part of the name of a model that answered. */
  readonly model?: string;
  /** The name of a tool that was called. */
  readonly tool?: string;
  readonly minCostUsd?: number;
  /** `recent` unless said. */
  readonly sort?: SessionSort;
  /** All, unless said. */
  readonly limit?: number;
  readonly offset?: number;
}

/** A page of sessions. */
export interface SessionPage {
  readonly sessions: readonly IndexedSession[];
  /** Over all sessions that fit, not only those of the page. */
  readonly totals: SessionTotals;
  readonly prices: { readonly date: string; readonly source: string };
}
