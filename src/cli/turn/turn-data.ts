import { z } from "zod";
import type { TurnResult } from "../../core/internal.ts";
import { asData, GitLeftOutData, UnheldData, FilesData } from "../../protocol/index.ts";
import type { UnheldChange } from "../../snapshot/index.ts";

/** Tokens, as the envelope tells them. */
export const UsageData = z.strictObject({
  input_tokens: z.int().describe("Tokens that were read and not from the cache"),
  output_tokens: z.int().describe("Tokens that were written, thinking too"),
  cache_read_tokens: z.int().describe("Tokens that were read from the cache"),
  cache_write_tokens: z.int().describe("Tokens that were written into the cache"),
});

/** The same of one model, with its money. */
export const ModelUsageData = UsageData.extend({
  cost_usd: z.number().describe("What the model's part cost, in US dollars"),
});

/** What a turn, or what sums one up, says of the offline model. */
export const offlineFields = {
  offline: z
    .boolean()
    .meta({ description: "Whether every response came from the offline model: then nothing was paid" }),
  scenario: z.string().nullable().meta({ description: "The scenario that the offline model played" }),
};

/** How often a tool was called. */
export const ToolCallsData = z.strictObject({
  tool: z.string().describe("The tool's name"),
  calls: z.int().describe("How often it was called"),
  errors: z.int().describe("How often it failed"),
});

export const TurnData = z.strictObject({
  text: z.string().describe("The agent's last answer"),
  session_id: z.string().describe("The Claude Code session of the turn"),
  model: z.string().describe("The model that gave the last answer, as the API names it"),
  is_error: z.boolean().describe("Whether the turn failed"),
  subtype: z
    .string()
    .nullable()
    .describe(
      "The CLI's word for how the turn ended; it is `success` after an API error too. Null where the CLI told no result",
    ),
  uuid: z.string().nullable().describe("The id of the CLI's result message; null where it told none"),
  stop_reason: z
    .string()
    .nullable()
    .describe("The model's own last word: `end_turn`, `tool_use`, `max_tokens` …; null where none is known"),
  terminal_reason: z
    .string()
    .nullable()
    .describe("The CLI's word for why the turn ended: `completed`, `max_turns` …; null where it told none"),
  usage: UsageData.describe("The tokens of the turn, those of sub-agents too"),
  usage_by_model: z.record(z.string(), ModelUsageData).describe("Tokens and money of each model, by its name"),
  cost_usd: z
    .number()
    .describe("What it cost, in US dollars; of an offline turn what the price list says, and nobody paid it"),
  ...offlineFields,
  duration_ms: z.number().describe("How long the turn took, in milliseconds"),
  duration_api_ms: z
    .number()
    .nullable()
    .describe("The part of it that was spent waiting for the API, in milliseconds; null where it is not known"),
  responses: z.int().describe("Model responses that it took"),
  attempts: z
    .int()
    .describe("How often the turn was run: 1, and one more for each retry after a failure that may pass"),
  tools: z
    .array(ToolCallsData.extend({ denied: z.int().describe("How often it was not permitted") }))
    .describe("The tools that were called"),
  files: FilesData.describe("What the turn changed"),
  unheld: z
    .array(UnheldData)
    .describe(
      "What became of files that no state holds, so that no undo brings them back; empty where the turn was not recorded",
    ),
  git_left_out: GitLeftOutData.describe(
    "The git repository that no state holds; null where there is none such, or the turn was not recorded",
  ),
  permission_denials: z
    .array(
      z.strictObject({
        tool: z.string().describe("The tool's name"),
        tool_use_id: z.string().describe("The call's id"),
        input: z.unknown().describe("What the tool would have been given"),
      }),
    )
    .describe("The tool calls that were not permitted"),
  structured_output: z.unknown().optional().describe("The answer in the shape that was asked for; only where one was"),
  before_state_id: z
    .string()
    .nullable()
    .describe("The state that the turn began with, to go back to; null where it was not recorded"),
  state_id: z.string().nullable().describe("The state after the turn; null where it was not recorded"),
  transition_id: z.string().nullable().describe("The turn's id; null where it was not recorded"),
  conversation_id: z.string().nullable().describe("The conversation of the turn; null where it was not recorded"),
});

export type TurnData = z.infer<typeof TurnData>;

export type ToolCount = Readonly<TurnData["tools"][number]>;

export interface TurnSeen {
  readonly tools: readonly ToolCount[];
  readonly files: TurnData["files"];
  readonly attempts?: number;
  readonly unheld?: readonly UnheldChange[];
  readonly gitLeftOut?: TurnData["git_left_out"];
  readonly recorded?: {
    readonly beforeStateId: string | undefined;
    readonly stateId: string;
    readonly transitionId: string;
    readonly conversationId: string;
  };
}

export function toTurnData(result: TurnResult, { recorded, ...seen }: TurnSeen): TurnData {
  return asData(TurnData, { offline: false, ...result, unheld: [], attempts: 1, ...seen, ...recorded });
}
