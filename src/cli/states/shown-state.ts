import { z } from "zod";
import type { Usage } from "../../core/index.ts";
import type { State, ToolExecution, Transition } from "../../trace/index.ts";
import type { SnapshotFile } from "../../snapshot/index.ts";
import { FilesData } from "../turn/files-data.ts";

const UsageData = z.strictObject({
  input_tokens: z.int(),
  output_tokens: z.int(),
  cache_read_tokens: z.int(),
  cache_write_tokens: z.int(),
});

const ToolCall = z.strictObject({
  tool: z.string(),
  tool_use_id: z.string(),
  started_at: z.string(),
  duration_ms: z.number(),
  is_error: z.boolean(),
  is_denied: z.boolean(),
  /** It had no result when the turn ended. */
  is_open: z.boolean(),
  /** The call of the sub-agent that made it. */
  parent_tool_use_id: z.string().nullable(),
  input: z.unknown(),
  output: z.unknown(),
});

const TurnShown = z.strictObject({
  transition_id: z.string(),
  prompt: z.string(),
  attachments: z.array(z.strictObject({ type: z.string(), name: z.string() })),
  response: z.string(),
  model: z.string(),
  outcome: z.enum(["completed", "failed", "cancelled", "interrupted"]),
  error: z.strictObject({ kind: z.string(), message: z.string() }).nullable(),
  stop_reason: z.string().nullable(),
  started_at: z.string(),
  duration_ms: z.number(),
  /** Model responses that it took. */
  responses: z.int(),
  cost_usd: z.number(),
  usage: UsageData,
  usage_by_model: z.record(z.string(), UsageData.extend({ cost_usd: z.number() })),
  /** Where the numbers come from, and where their sources disagree. */
  ledger: z.strictObject({
    source: z.enum(["result", "stream", "transcript"]),
    is_lower_bound: z.boolean(),
    subagents: z.record(z.string(), UsageData),
    mismatches: z.array(
      z.strictObject({
        model: z.string(),
        field: z.string(),
        source: z.string(),
        result: z.number(),
        found: z.number(),
      }),
    ),
  }),
  tools: z.array(ToolCall),
  metadata: z.record(z.string(), z.unknown()),
});

const HeldFile = z.strictObject({
  path: z.string(),
  /** The name's bytes, where they are not UTF-8. */
  path_base64: z.string().optional(),
  kind: z.enum(["file", "symlink"]),
  /** The permission bits, octal. */
  mode: z.string(),
  size_bytes: z.int(),
  content_id: z.string(),
});

/** Everything of a state, as the envelope tells it. */
export const ShownState = z.strictObject({
  state_id: z.string(),
  parent_id: z.string().nullable(),
  kind: z.enum(["start", "turn", "edit"]),
  conversation_id: z.string(),
  recorded_at: z.string(),
  checkpoints: z.array(z.string()),
  is_here: z.boolean(),
  session_id: z.string().nullable(),
  settings: z.record(z.string(), z.unknown()),
  rewards: z.record(z.string(), z.number()),
  /** What is wrong with the note on it; null where it can be read, or there is none. */
  note_problem: z.string().nullable(),
  /** Against the state before. */
  files: FilesData,
  /** With `--files`: all that the state holds, ordered by path. */
  all_files: z.array(HeldFile).nullable(),
  /** What was in the directory and is not in the state. */
  left_out: z.array(z.strictObject({ path: z.string(), reason: z.string(), size_bytes: z.number() })),
  /** Paths that changed while they were being captured. */
  moved: z.array(z.string()),
  /** Null where no turn led to it. */
  turn: TurnShown.nullable(),
});

/** Everything of a state, as the envelope tells it. */
export type ShownState = z.infer<typeof ShownState>;

/** What is told of a state beside itself. */
type StateSurroundings = Pick<
  ShownState,
  "checkpoints" | "is_here" | "rewards" | "note_problem" | "files" | "all_files" | "turn"
>;

/** Puts a state into the words of the envelope. */
export function toShownState(state: State, surroundings: StateSurroundings): ShownState {
  return {
    state_id: state.id,
    parent_id: state.parentId ?? null,
    kind: state.kind,
    conversation_id: state.conversationId,
    recorded_at: state.recordedAt,
    session_id: state.sessionId ?? null,
    settings: { ...state.settings },
    left_out: state.leftOut.map(({ path, reason, sizeBytes }) => ({ path, reason, size_bytes: sizeBytes })),
    moved: [...state.moved],
    ...surroundings,
  };
}

/** Puts a file that a state holds into the words of the envelope. */
export function toHeldFile(file: SnapshotFile): z.infer<typeof HeldFile> {
  const { path, pathBytes, kind, mode, sizeBytes, contentId } = file;
  const bytes = pathBytes ? { path_base64: Buffer.from(pathBytes).toString("base64") } : {};
  return { path, ...bytes, kind, mode: mode.toString(8), size_bytes: sizeBytes, content_id: contentId };
}

/** Puts the turn that led to a state into the words of the envelope. */
export function toShownTurn(transition: Transition, tools: readonly ToolExecution[]): z.infer<typeof TurnShown> {
  const { execution, prompt } = transition;
  const { ledger, error } = execution;
  return {
    transition_id: transition.id,
    prompt: prompt.text,
    attachments: [...prompt.attachments],
    response: execution.response,
    model: execution.model,
    outcome: execution.outcome,
    error: error ? { kind: error.kind, message: error.message } : null,
    stop_reason: execution.stopReason ?? null,
    started_at: execution.startedAt,
    duration_ms: execution.durationMs,
    responses: execution.responses,
    cost_usd: execution.costUsd,
    usage: usageData(execution.usage),
    usage_by_model: mapValues(execution.usageByModel, (usage) => ({ ...usageData(usage), cost_usd: usage.costUsd })),
    ledger: {
      source: ledger.source,
      is_lower_bound: ledger.isLowerBound,
      subagents: mapValues(ledger.subagents, usageData),
      mismatches: [...ledger.mismatches],
    },
    tools: tools.map(toToolCall),
    metadata: { ...transition.metadata },
  };
}

function toToolCall(call: ToolExecution): z.infer<typeof ToolCall> {
  return {
    tool: call.tool,
    tool_use_id: call.toolUseId,
    started_at: call.startedAt,
    duration_ms: call.durationMs,
    is_error: call.isError,
    is_denied: call.isDenied,
    is_open: call.isOpen,
    parent_tool_use_id: call.parentToolUseId ?? null,
    input: call.input ?? null,
    output: call.output ?? null,
  };
}

function usageData(usage: Usage): z.infer<typeof UsageData> {
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_tokens: usage.cacheReadTokens,
    cache_write_tokens: usage.cacheWriteTokens,
  };
}

function mapValues<From, To>(record: Readonly<Record<string, From>>, change: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
