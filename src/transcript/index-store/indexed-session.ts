import type { UsageTotals } from "../usage/usage-totals.ts";

/** A file of a session. */
export interface IndexedFile {
  readonly path: string;
  /** The session that the file is named after or that its records name. */
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
  /** The CLI versions that wrote it. */
  readonly versions: readonly string[];
  readonly sizeBytes: number;
  /** Whether none of its own files is there any more. */
  readonly isPurged: boolean;
  /** The files that make it up: the sessions' own first, the oldest first. */
  readonly files: readonly IndexedFile[];
  readonly usage: UsageTotals;
}
