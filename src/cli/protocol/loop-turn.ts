import { z } from "zod";
import type { TurnResult } from "../../core/index.ts";
import { STOP_REASONS, type StopReason } from "./stop-reason.ts";
import { toTurnData, TurnData } from "../turn/turn-data.ts";
import type { ToolCount } from "../turn/tool-tally.ts";
import { defined } from "../../core/index.ts";

/** One turn of a loop, as the envelope tells it. */
export const LoopTurn = z.strictObject({
  prompt: z.string(),
  output: z.string(),
  stop_reason: z.enum(STOP_REASONS),
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
export type LoopTurn = z.infer<typeof LoopTurn>;

/** What of the CLI's offer a prompt seems to be about. */
export type Matches = Pick<LoopTurn, "matched_commands" | "matched_tools">;

/** Nothing was looked for. */
export const NO_MATCHES: Matches = { matched_commands: [], matched_tools: [] };

/** What was seen around a turn of a loop. */
export interface LoopTurnSeen {
  readonly prompt: string;
  readonly stopReason: StopReason;
  readonly tools: readonly ToolCount[];
  readonly matches: Matches;
  readonly stateId: string;
  /** Whether the engine has told, or its process's end has shown, that the turn is over. */
  readonly isSettled: boolean;
}

/** Puts a turn that was run into the words of the envelope. */
export function toLoopTurn(result: TurnResult, seen: LoopTurnSeen): LoopTurn {
  const files = { created: [], modified: [], deleted: [], renamed: [] };
  const data = toTurnData(result, { tools: seen.tools, files });
  const { kind, target } = result.error ?? {};
  const wasStopped = kind === "cancelled" || kind === "timeout" || (kind === "budget" && target === "maxTokens");
  return {
    prompt: seen.prompt,
    output: data.text,
    stop_reason: seen.stopReason,
    cancel_observed: wasStopped && seen.isSettled,
    safe_to_reuse_session: seen.isSettled,
    ...seen.matches,
    state_id: seen.stateId,
    session_id: data.session_id,
    usage: data.usage,
    cost_usd: data.cost_usd,
    duration_ms: data.duration_ms,
    tools: data.tools,
    permission_denials: data.permission_denials,
    ...defined({ structured_output: data.structured_output }),
  };
}

/** A turn that was not begun: no engine was asked, and nothing has changed. It can be asked for again. */
export function refusedTurn(prompt: string, { stopReason, sessionId = "" }: Refused): LoopTurn {
  return {
    prompt,
    output: "",
    stop_reason: stopReason,
    cancel_observed: false,
    safe_to_reuse_session: true,
    ...NO_MATCHES,
    state_id: null,
    session_id: sessionId,
    usage: { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 },
    cost_usd: 0,
    duration_ms: 0,
    tools: [],
    permission_denials: [],
  };
}

interface Refused {
  readonly stopReason: StopReason;
  /** The session that it would have been part of. */
  readonly sessionId?: string | undefined;
}
