import { z } from "zod";
import { defined, type TurnResult, type Usage } from "../../core/index.ts";
import { GitLeftOutData, UnheldData } from "../states/left-out.ts";
import { FilesData } from "./files-data.ts";

const usage = {
  input_tokens: z.int(),
  output_tokens: z.int(),
  cache_read_tokens: z.int(),
  cache_write_tokens: z.int(),
};

/** A turn as the envelope tells it. */
export const TurnData = z.strictObject({
  text: z.string(),
  session_id: z.string(),
  model: z.string(),
  is_error: z.boolean(),
  /** The CLI's word for how the turn ended; it is `success` after an API error too. Null where the CLI told no result. */
  subtype: z.string().nullable(),
  /** The id of the CLI's result message; null where it told none. */
  uuid: z.string().nullable(),
  stop_reason: z.string().nullable(),
  terminal_reason: z.string().nullable(),
  usage: z.strictObject(usage),
  usage_by_model: z.record(z.string(), z.strictObject({ ...usage, cost_usd: z.number() })),
  cost_usd: z.number(),
  duration_ms: z.number(),
  /** The part of it that was spent waiting for the API; null where it is not known. */
  duration_api_ms: z.number().nullable(),
  /** Model responses that it took. */
  responses: z.int(),
  tools: z.array(z.strictObject({ tool: z.string(), calls: z.int(), errors: z.int(), denied: z.int() })),
  /** Paths below the working directory. */
  files: FilesData,
  /** What became of files that no state holds, so that no undo brings them back; empty where the turn was not recorded. */
  unheld: z.array(UnheldData),
  /** Null too where the turn was not recorded. */
  git_left_out: GitLeftOutData,
  permission_denials: z.array(z.strictObject({ tool: z.string(), tool_use_id: z.string(), input: z.unknown() })),
  /** Only where a shape was asked for. */
  structured_output: z.unknown().optional(),
  /** The state after the turn, the turn itself and its conversation; null where it was not recorded. */
  state_id: z.string().nullable(),
  transition_id: z.string().nullable(),
  conversation_id: z.string().nullable(),
});

/** A turn as the envelope tells it. */
export type TurnData = z.infer<typeof TurnData>;

/** How often a tool was called, and how that went. */
export type ToolCount = Readonly<TurnData["tools"][number]>;

/** What was seen around a turn. */
export interface TurnSeen {
  readonly tools: readonly ToolCount[];
  readonly files: TurnData["files"];
  readonly unheld?: TurnData["unheld"];
  readonly gitLeftOut?: TurnData["git_left_out"];
  /** Where it was recorded. */
  readonly recorded?: { readonly stateId: string; readonly transitionId: string; readonly conversationId: string };
}

/** Puts a result, and what was seen around it, into the words of the envelope. */
export function toTurnData(result: TurnResult, seen: TurnSeen): TurnData {
  const byModel = Object.entries(result.usageByModel).map(([model, { costUsd, ...rest }]) => [
    model,
    { ...toUsageData(rest), cost_usd: costUsd },
  ]);
  return {
    text: result.text,
    session_id: result.sessionId,
    model: result.model,
    is_error: result.isError,
    subtype: result.subtype ?? null,
    uuid: result.uuid ?? null,
    stop_reason: result.stopReason ?? null,
    terminal_reason: result.terminalReason ?? null,
    usage: toUsageData(result.usage),
    usage_by_model: Object.fromEntries(byModel) as TurnData["usage_by_model"],
    cost_usd: result.costUsd,
    duration_ms: result.durationMs,
    duration_api_ms: result.durationApiMs ?? null,
    responses: result.responses,
    tools: [...seen.tools],
    files: seen.files,
    unheld: seen.unheld ?? [],
    git_left_out: seen.gitLeftOut ?? null,
    permission_denials: result.permissionDenials.map(({ tool, toolUseId, input }) => ({
      tool,
      tool_use_id: toolUseId,
      input,
    })),
    ...defined({ structured_output: result.structuredOutput }),
    state_id: seen.recorded?.stateId ?? null,
    transition_id: seen.recorded?.transitionId ?? null,
    conversation_id: seen.recorded?.conversationId ?? null,
  };
}

function toUsageData(counts: Usage): TurnData["usage"] {
  return {
    input_tokens: counts.inputTokens,
    output_tokens: counts.outputTokens,
    cache_read_tokens: counts.cacheReadTokens,
    cache_write_tokens: counts.cacheWriteTokens,
  };
}
