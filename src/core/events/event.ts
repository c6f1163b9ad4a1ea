import type { ErrorRecord, SkeinError } from "../errors.ts";
import { NO_USAGE, type MessageUsage, type ModelUsage, type Usage } from "../usage/usage.ts";

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

/** A piece of thinking as it is being written; the whole follows as `thinking`. */
export interface ThinkingDeltaEvent extends EventBase {
  readonly type: "thinking-delta";
  readonly text: string;
}

/** The signature of the thinking that was written last: by it the API knows that thinking again. */
export interface SignatureDeltaEvent extends EventBase {
  readonly type: "signature-delta";
  readonly signature: string;
}

/** A piece of a tool call's input as it is being written: JSON that is whole only with all its pieces. The call follows as `tool-start`. */
export interface ToolInputDeltaEvent extends EventBase {
  readonly type: "tool-input-delta";
  readonly toolUseId: string;
  readonly tool: string;
  readonly json: string;
}

/** What the model wrote. */
interface WrittenEvent extends EventBase {
  /** The model that wrote it, as the API names it, where that is told. */
  readonly model?: string;
}

/** A whole block of text. */
export interface TextEvent extends WrittenEvent {
  readonly type: "text";
  readonly text: string;
}

/** A whole block of thinking. */
export interface ThinkingEvent extends WrittenEvent {
  readonly type: "thinking";
  readonly text: string;
}

/** The model called a tool. */
export interface ToolStartEvent extends WrittenEvent {
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

/** What a response has used, as it becomes known: when it begins, and when the API has told what it came to. */
export interface UsageEvent extends EventBase, MessageUsage {
  readonly type: "usage";
  /** The model's own last word of the response: `end_turn`, `tool_use` … There once the usage is final. */
  readonly stopReason?: string;
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
  | ThinkingDeltaEvent
  | SignatureDeltaEvent
  | ToolInputDeltaEvent
  | TextEvent
  | ThinkingEvent
  | ToolStartEvent
  | ToolEndEvent
  | UsageEvent
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
  /** The engine's word for how the turn ended: `success`, `error_max_turns` … It says `success` of an API error too: `isError` decides. */
  readonly subtype?: string;
  /** The id of the engine's own result message. */
  readonly uuid?: string;
  /** The model's own last word: `end_turn`, `tool_use`, `max_tokens` … */
  readonly stopReason?: string;
  /** The engine's word for why the turn ended: `completed`, `max_turns`, `api_error` … */
  readonly terminalReason?: string;
  readonly usage: Usage;
  readonly usageByModel: Readonly<Record<string, ModelUsage>>;
  /** Money of this turn alone, sub-agents included. */
  readonly costUsd: number;
  /** Whether usage and money are only a lower bound: a response broke off, or the turn was killed, before all of its tokens were told. */
  readonly isLowerBound?: boolean;
  readonly durationMs: number;
  /** The part of it that was spent waiting for the API, where the engine tells it; requests at once count each. */
  readonly durationApiMs?: number;
  /** Model responses that it took. */
  readonly responses: number;
  /** The model that gave the last answer, as the API names it; where there was none, the one that was to give it. */
  readonly model: string;
  readonly permissionDenials: readonly PermissionDenial[];
  /** The answer in the shape that was asked for, where one was. */
  readonly structuredOutput?: unknown;
  /** Whether the prompt was taken into an earlier turn: the answer is that turn's, and what it cost is counted there. */
  readonly isFolded?: boolean;
}

/** The result of a turn that failed before it did anything: it used nothing and cost nothing. */
export function failedResult(
  error: SkeinError,
  { sessionId = "", model = "" }: { readonly sessionId?: string | undefined; readonly model?: string | undefined } = {},
): TurnResult {
  return {
    text: "",
    sessionId,
    isError: true,
    error: error.toJSON(),
    usage: NO_USAGE,
    usageByModel: {},
    costUsd: 0,
    durationMs: 0,
    responses: 0,
    model,
    permissionDenials: [],
  };
}
