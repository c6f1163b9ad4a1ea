import { z } from "zod";
import { defined, failedResult, SkeinError } from "../../core/index.ts";
import { LOOP_STOP_REASONS, type LoopTurn } from "../../trace/index.ts";
import type { ToolCount } from "../turn/show-events.ts";
import { toTurnData, TurnData } from "../turn/turn-data.ts";

/** One turn of a loop, as the envelope tells it. */
export const LoopTurnData = z.strictObject({
  prompt: z.string(),
  output: z.string(),
  stop_reason: z.enum(LOOP_STOP_REASONS),
  /** Whether the engine has acknowledged that it was stopped: by a receipt, or by the proven end of its process. */
  cancel_observed: z.boolean(),
  /** Whether nothing goes on any more in the session, so that another turn can follow. */
  safe_to_reuse_session: z.boolean(),
  /** What the CLI offers that the prompt seems to be about, the best first. */
  matched_commands: z.array(z.string()),
  matched_tools: z.array(z.string()),
  /** The state after the turn; null where it was refused, and nothing was changed. */
  state_id: z.string().nullable(),
  ...TurnData.pick({ session_id: true, usage: true, cost_usd: true, duration_ms: true }).shape,
  ...TurnData.pick({ tools: true, permission_denials: true, structured_output: true }).shape,
});

/** One turn of a loop, as the envelope tells it. */
export type LoopTurnData = z.infer<typeof LoopTurnData>;

/** What of the CLI's offer a prompt seems to be about. */
export type Matches = Pick<LoopTurnData, "matched_commands" | "matched_tools">;

/** Nothing was looked for. */
export const NO_MATCHES: Matches = { matched_commands: [], matched_tools: [] };

/** What is told of a turn beside what the loop knows of it. */
export interface LoopTurnSeen {
  readonly tools: readonly ToolCount[];
  readonly matches: Matches;
  /** The session that it was part of, or would have been. */
  readonly sessionId?: string | undefined;
}

/** Puts a turn into the words of the envelope: also one that was not begun, which can be asked for again. */
export function toLoopTurnData(turn: LoopTurn, { tools, matches, sessionId = "" }: LoopTurnSeen): LoopTurnData {
  const files = { created: [], modified: [], deleted: [], renamed: [] };
  const result = turn.result ?? failedResult(new SkeinError("", { kind: "cancelled" }), { sessionId });
  const data = toTurnData(result, { tools, files });
  return {
    prompt: turn.prompt,
    output: data.text,
    stop_reason: turn.stopReason,
    cancel_observed: turn.isStopProven,
    safe_to_reuse_session: turn.isReusable,
    ...matches,
    state_id: turn.stateId ?? null,
    session_id: data.session_id,
    usage: data.usage,
    cost_usd: data.cost_usd,
    duration_ms: data.duration_ms,
    tools: data.tools,
    permission_denials: data.permission_denials,
    ...defined({ structured_output: data.structured_output }),
  };
}
