import type { ErrorRecord } from "./skein-error.ts";
import type { ModelUsage, Usage } from "./usage.ts";

interface EventBase {
  /** When Skein saw it, ISO 8601. */
  readonly timestamp: string;
  /** The Claude Code session, once it is known. */
  readonly sessionId?: string;
  /** The tool call that a sub-agent works for; absent in the main conversation. */
  readonly parentToolUseId?: string;
  /** The engine's own message, whole. */
  readonly raw?: unknown;
}

/** The agent took the prompt: what it runs with. */
export interface TurnStartEvent extends EventBase {
  readonly type: "turn-start";
  readonly model: string;
  readonly cwd: string;
  readonly tools: readonly string[];
  readonly permissionMode: string;
}

/** A piece of text as it is being written; the whole follows as `text`. */
export interface TextDeltaEvent extends EventBase {
  readonly type: "text-delta";
  readonly text: string;
}

/** A whole block of text. */
export interface TextEvent extends EventBase {
  readonly type: "text";
  readonly text: string;
}

/** A whole block of thinking. */
export interface ThinkingEvent extends EventBase {
  readonly type: "thinking";
  readonly text: string;
}

/** The model called a tool. */
export interface ToolStartEvent extends EventBase {
  readonly type: "tool-start";
  readonly toolUseId: string;
  readonly tool: string;
  readonly input: unknown;
}

/** A tool call ended, well or not, or was denied. */
export interface ToolEndEvent extends EventBase {
  readonly type: "tool-end";
  readonly toolUseId: string;
  readonly tool: string;
  /** What the model is shown: text, or content blocks. */
  readonly output: unknown;
  readonly isError: boolean;
  readonly isDenied: boolean;
  readonly durationMs: number;
}

/** Something to show while waiting: a retry, a compaction, a sub-agent, a hook. */
export interface StatusEvent extends EventBase {
  readonly type: "status";
  /** The engine's word for it, such as `requesting`, `api_retry` or `compacting`. */
  readonly status: string;
  readonly detail?: string;
}

/** A failure; the turn may go on after it, and its end says how it ended. */
export interface ErrorEvent extends EventBase {
  readonly type: "error";
  readonly error: ErrorRecord;
}

/** The turn is over. */
export interface TurnEndEvent extends EventBase {
  readonly type: "turn-end";
  readonly result: TurnResult;
}

/** The turn is recorded as a state: it survives whatever happens from here on. */
export interface StateRecordedEvent extends EventBase {
  readonly type: "state-recorded";
  /** The state after the turn. */
  readonly stateId: string;
  readonly transitionId: string;
  readonly conversationId: string;
}

/** A message of a kind that this version does not know; `raw` has all of it. */
export interface UnknownEvent extends EventBase {
  readonly type: "unknown";
}

/** An event of a kind that a caller defined, see `defineEvent`. */
export interface CustomEvent extends EventBase {
  readonly type: "custom";
  /** The caller's word for the kind. */
  readonly name: string;
  readonly data: unknown;
}

/** Everything that can happen in a turn, in Skein's words. */
export type SkeinEvent =
  | TurnStartEvent
  | TextDeltaEvent
  | TextEvent
  | ThinkingEvent
  | ToolStartEvent
  | ToolEndEvent
  | StatusEvent
  | ErrorEvent
  | TurnEndEvent
  | StateRecordedEvent
  | UnknownEvent
  | CustomEvent;

/** A tool call that was refused. */
export interface PermissionDenial {
  readonly tool: string;
  readonly toolUseId: string;
  readonly input: unknown;
}

/** What a turn came to. A failed turn has a result too, with `error`. */
export interface TurnResult {
  /** The agent's last answer. */
  readonly text: string;
  readonly sessionId: string;
  readonly isError: boolean;
  /** Why it failed, where it did. */
  readonly error?: ErrorRecord;
  /** The model's own last word: `end_turn`, `tool_use`, `max_tokens` … */
  readonly stopReason?: string;
  /** The engine's word for why the turn ended: `completed`, `max_turns`, `api_error` … */
  readonly terminalReason?: string;
  readonly usage: Usage;
  readonly usageByModel: Readonly<Record<string, ModelUsage>>;
  /** Money of this turn alone, sub-agents included. */
  readonly costUsd: number;
  readonly durationMs: number;
  /** Model responses that it took. */
  readonly turns: number;
  readonly model: string;
  readonly permissionDenials: readonly PermissionDenial[];
  /** The answer in the shape that was asked for, where one was. */
  readonly structuredOutput?: unknown;
  /** Whether the prompt was taken into an earlier turn: the answer is that turn's, and what it cost is counted there. */
  readonly isFolded?: boolean;
}
