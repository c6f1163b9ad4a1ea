import type { State } from "../state.ts";
import type { Outcome } from "../transition-file.ts";

/** How often a turn used a tool. */
export interface ToolUse {
  readonly tool: string;
  readonly calls: number;
  readonly errors: number;
}

/** What the index knows of the turn that led to a state. */
export interface IndexedTurn {
  readonly transitionId: string;
  readonly prompt: string;
  readonly response: string;
  readonly sessionId: string;
  readonly model: string;
  readonly outcome: Outcome;
  readonly errorKind?: string;
  readonly stopReason?: string;
  /** Kept to the millionth of a dollar. */
  readonly costUsd: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly durationMs: number;
  readonly tools: readonly ToolUse[];
  readonly filesCreated: number;
  readonly filesModified: number;
  readonly filesDeleted: number;
}

/** One state as the index knows it. */
export interface IndexedState {
  /** The commit: 40 hex digits. */
  readonly id: string;
  readonly parentId?: string;
  /** `unreadable` where what is recorded is not what a state may be, as one from somebody else. */
  readonly kind: State["kind"] | "unreadable";
  /** Why it cannot be read, in a word. */
  readonly errorKind?: string;
  /** Empty where it cannot be read. */
  readonly conversationId: string;
  readonly recordedAtMs: number;
  /** The number of states before it on its path. */
  readonly depth: number;
  /** Given for the kind "turn" alone. */
  readonly turn?: IndexedTurn;
  readonly rewards: Readonly<Record<string, number>>;
}
