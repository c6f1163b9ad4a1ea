import type { Outcome } from "../transition-file.ts";
import type { IndexedState } from "./indexed-state.ts";
import type { StateQuery } from "./state-query.ts";

/** Sums over states; those without a turn count nothing but themselves. */
export interface StateTotals {
  readonly states: number;
  readonly turns: number;
  readonly costUsd: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly durationMs: number;
}

/** A conversation, as a list shows it. */
export interface ConversationSummary {
  readonly id: string;
  /** The prompt of its first turn; empty where it has none yet. */
  readonly firstPrompt: string;
  readonly turns: number;
  readonly costUsd: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** How its latest turn ended. */
  readonly lastOutcome?: Outcome;
}

/** Which refs are known at which commit; undefined takes a ref out. */
export type RefChanges = ReadonlyMap<string, string | undefined>;

/**
 * The rebuildable index of one workspace's states. What is told here can be told again from the store; where a call throws
 * an `UnusableDatabaseError`, the file was damaged and is gone: open the index again and fill it.
 */
export interface TraceIndex extends AsyncDisposable {
  /** Whether other processes use it too, so that who fills it needs a lock. */
  readonly isShared: boolean;
  /** Adds states, or replaces those with the same id, and notes refs: all or nothing. */
  record(states: readonly IndexedState[], refs: RefChanges): Promise<void>;
  /** Adds states, or replaces those with the same id: all or nothing. */
  put(states: readonly IndexedState[]): Promise<void>;
  /** Replaces the rewards of a state; one that is not known is left so. */
  setRewards(id: string, rewards: Readonly<Record<string, number>>): Promise<void>;
  /** Takes states out; ids that are not known do no harm. */
  remove(ids: readonly string[]): Promise<void>;
  get(id: string): Promise<IndexedState | undefined>;
  /** The state that a transition led to; the oldest, where several have it. */
  byTransition(transitionId: string): Promise<IndexedState | undefined>;
  /** The ids that begin so, in order; two are enough to know that a prefix is ambiguous. */
  withPrefix(prefix: string, limit?: number): Promise<readonly string[]>;
  list(query?: StateQuery): Promise<readonly IndexedState[]>;
  /** Sums over all states that fit; order, limit and offset do not matter. */
  totals(query?: StateQuery): Promise<StateTotals>;
  /** The conversations, the one changed last first. */
  conversations(query?: { readonly limit?: number; readonly offset?: number }): Promise<readonly ConversationSummary[]>;
  /** Which refs the index has taken in, and at which commit, so that its owner can bring it up to date. */
  refs(): Promise<ReadonlyMap<string, string>>;
  setRefs(changes: RefChanges): Promise<void>;
  /** Forgets all states and refs. */
  clear(): Promise<void>;
  close(): Promise<void>;
}
