import { z } from "zod";
import { LOOP_STOP_REASONS } from "../../../trace/internal.ts";
import { TurnData } from "../../turn/turn-data.ts";

/** What the turns of a loop tell as every turn does. */
export const OfTurn = TurnData.pick({
  session_id: true,
  usage: true,
  cost_usd: true,
  duration_ms: true,
  tools: true,
  attempts: true,
  permission_denials: true,
  structured_output: true,
});

/** A turn of a loop. */
export const LoopTurnData = z.strictObject({
  prompt: z.string().describe("The turn's prompt"),
  output: z.string().describe("The agent's last answer in it"),
  stop_reason: z.enum(LOOP_STOP_REASONS).describe("Why the turn ended"),
  cancel_observed: z
    .boolean()
    .describe(
      "Whether the engine has acknowledged that it was stopped: by a receipt, or by the proven end of its process",
    ),
  safe_to_reuse_session: z
    .boolean()
    .describe("Whether nothing goes on any more in the session, so that another turn can follow"),
  matched_commands: z
    .array(z.string())
    .describe("What the CLI offers that the prompt seems to be about, the best first"),
  matched_tools: z.array(z.string()).describe("The tools that the prompt seems to be about, the best first"),
  before_state_id: z
    .string()
    .nullable()
    .describe("The state that the turn began with, to go back to; null where it was refused, and nothing was changed"),
  state_id: z
    .string()
    .nullable()
    .describe("The state after the turn; null where it was refused, and nothing was changed"),
  /** Where it was no turn of the agent's, but the CLI compacted the session: the tokens in its context; null of any other. */
  compaction: z
    .strictObject({
      tokens_before: z.int().nullable().describe("Tokens in the context before; null where the CLI did not tell"),
      tokens_after: z.int().nullable().describe("Tokens in the context after; null where the CLI did not tell"),
    })
    .nullable()
    .meta({ description: "Set where the CLI compacted the session: what its context held; null for a turn" }),
  ...OfTurn.shape,
});
export type LoopTurnData = z.infer<typeof LoopTurnData>;

/** What an error tells of a turn that failed, as `run` tells it. */
export const beforeField = {
  before_state_id: z.string().optional().describe("The state that the failed turn began with, to go back to"),
};

export function beforeFailure(turn: LoopTurnData | undefined): { readonly before_state_id?: string } {
  return turn?.before_state_id ? { before_state_id: turn.before_state_id } : {};
}

/** The limits that a loop ran under. */
export const Limits = z.strictObject({
  max_turns: z.int().describe("The limit on turns"),
  timeout: z.number().nullable().describe("The limit on the whole loop, in seconds; null for none"),
  continuation_prompt: z
    .string()
    .nullable()
    .describe("The prompt of every turn after the first; null where the first is repeated"),
  compact_after_turns: z.int().nullable().describe("The session is compacted after this many turns; null for never"),
  structured_retry_limit: z
    .int()
    .nullable()
    .describe("How often an answer of the wrong shape is asked for again; null for the CLI's own limit"),
  max_tokens: z.int().nullable().describe("The limit on tokens of all turns together; null for none"),
  max_cost_usd: z
    .number()
    .nullable()
    .describe("The limit on money of all turns together, in US dollars; null for none"),
});

/** What a loop came to. */
export const LoopData = z.strictObject({
  prompt: z.string().describe("The first prompt"),
  cwd: z.string().describe("The workspace"),
  conversation_id: z.string().nullable().describe("The conversation of the turns; null where nothing was recorded"),
  ...Limits.shape,
  turns_completed: z.int().describe("How many turns ran to their end"),
  turns: z.array(LoopTurnData).describe("The turns, in order"),
  cost_usd: z.number().describe("What all turns cost, in US dollars; of offline turns what the price list says"),
  final_stop_reason: z
    .enum(LOOP_STOP_REASONS)
    .nullable()
    .describe(
      "Why the loop ended: its last turn's reason, or that there was more to say and no turn left; null without a turn",
    ),
  final_cancel_observed: z.boolean().describe("Whether the engine acknowledged that the last turn was stopped"),
  safe_to_reuse_session: z
    .boolean()
    .describe("Whether nothing goes on any more in the session, so that another turn can follow"),
});

export type LoopData = z.infer<typeof LoopData>;
