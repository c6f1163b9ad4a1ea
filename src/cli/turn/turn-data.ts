import { z } from "zod";
import type { TurnResult } from "../../core/internal.ts";
import { asData } from "../../protocol/index.ts";
import type { UnheldChange } from "../../snapshot/index.ts";
import { GitLeftOutData, UnheldData } from "../states/left-out.ts";
import { FilesData } from "./files-data.ts";

/** Tokens, as the envelope tells them. */
export const UsageData = z.strictObject({
  input_tokens: z.int(),
  output_tokens: z.int(),
  cache_read_tokens: z.int(),
  cache_write_tokens: z.int(),
});

/** The same of one model, with its money. */
export const ModelUsageData = UsageData.extend({ cost_usd: z.number() });

/** What a turn, or what sums one up, says of the offline model. */
export const offlineFields = {
  offline: z
    .boolean()
    .meta({ description: "Whether every response came from the offline model: then nothing was paid" }),
  scenario: z.string().nullable().meta({ description: "The scenario that the offline model played" }),
};

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
  usage: UsageData,
  usage_by_model: z.record(z.string(), ModelUsageData),
  /** What it cost; of an offline turn what the price list says, and nobody paid it. */
  cost_usd: z.number(),
  ...offlineFields,
  duration_ms: z.number(),
  /** The part of it that was spent waiting for the API; null where it is not known. */
  duration_api_ms: z.number().nullable(),
  responses: z.int(),
  attempts: z
    .int()
    .describe("How often the turn was run: 1, and one more for each retry after a failure that may pass"),
  tools: z.array(z.strictObject({ tool: z.string(), calls: z.int(), errors: z.int(), denied: z.int() })),
  files: FilesData,
  /** What became of files that no state holds, so that no undo brings them back; empty where the turn was not recorded. */
  unheld: z.array(UnheldData),
  /** Null too where the turn was not recorded. */
  git_left_out: GitLeftOutData,
  permission_denials: z.array(z.strictObject({ tool: z.string(), tool_use_id: z.string(), input: z.unknown() })),
  /** Only where a shape was asked for. */
  structured_output: z.unknown().optional(),
  /** The state that the turn began with, to go back to; null where it was not recorded. */
  before_state_id: z.string().nullable(),
  /** The state after the turn, the turn itself and its conversation; null where it was not recorded. */
  state_id: z.string().nullable(),
  transition_id: z.string().nullable(),
  conversation_id: z.string().nullable(),
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
