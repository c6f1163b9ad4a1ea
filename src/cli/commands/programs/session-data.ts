import { z } from "zod";
import { isoTime, microUsd, sumMicroUsd, toUsd } from "../../../core/index.ts";
import type { FoundConversation, SessionSegment } from "../../../trace/index.ts";
import { argument } from "../../common-flags.ts";

export const sessionIdArgument = argument("The id from list-sessions, or Claude Code's own");

/** A recorded conversation, as the session commands tell it. */
export const SessionData = z.strictObject({
  session_id: z.string(),
  /** The ids of the Claude Code sessions that it went through, the last one last. */
  claude_session_ids: z.array(z.string()),
  /** The first line of its first prompt. */
  title: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  prompt_count: z.int(),
  /** All that was read, from the cache or not. */
  input_tokens: z.int(),
  output_tokens: z.int(),
  cost_usd: z.number(),
  /** How its last turn ended: `completed`, `failed`, `cancelled`, `interrupted`; null before the first, `unreadable` where no state can be read. */
  outcome: z.string().nullable(),
  stop_reason: z.string().nullable(),
});
export type SessionData = z.infer<typeof SessionData>;

export function countMessages({ main, subagents }: SessionSegment): number {
  const entries = [main, ...subagents.values()].flat();
  return entries.filter(({ type }) => type === "user" || type === "assistant").length;
}

export function toSessionData({ id, states }: FoundConversation): SessionData {
  const turns = states.flatMap(({ turn }) => turn ?? []);
  const sum = (count: (turn: (typeof turns)[number]) => number): number =>
    turns.reduce((all, turn) => all + count(turn), 0);
  return {
    session_id: id,
    claude_session_ids: [...new Set(turns.map(({ sessionId }) => sessionId).filter((own) => own !== ""))],
    title: turns[0]?.prompt.trim().split("\n")[0] ?? "",
    created_at: isoTime(states[0]?.recordedAtMs ?? 0),
    updated_at: isoTime(states.at(-1)?.recordedAtMs ?? 0),
    prompt_count: turns.length,
    input_tokens: sum(
      ({ inputTokens, cacheReadTokens, cacheWriteTokens }) => inputTokens + cacheReadTokens + cacheWriteTokens,
    ),
    output_tokens: sum(({ outputTokens }) => outputTokens),
    cost_usd: toUsd(sumMicroUsd(turns.map(({ costUsd }) => microUsd(costUsd)))),
    outcome: states.some(({ kind }) => kind !== "unreadable") ? (turns.at(-1)?.outcome ?? null) : "unreadable",
    stop_reason: turns.at(-1)?.stopReason ?? null,
  };
}
