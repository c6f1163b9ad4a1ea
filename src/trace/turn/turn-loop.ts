import { z } from "zod";
import {
  defined,
  limitsLeft,
  SkeinError,
  toSkeinError,
  type Clock,
  type ErrorRecord,
  type SkeinEvent,
  type TurnResult,
  type TurnStartEvent,
} from "../../core/internal.ts";
import type { ProcessManager } from "../../engine/internal.ts";
import type { Conversation } from "../conversation/conversation.ts";

/** Why a turn of a loop came to its end. */
export const LOOP_STOP_REASONS = [
  "completed",
  "max_turns_reached",
  "max_budget_reached",
  "cancelled",
  "timeout",
  "error",
] as const;

export type LoopStopReason = (typeof LOOP_STOP_REASONS)[number];

/** What all turns of a loop may take together. */
export interface LoopLimits {
  /** When all of it has to be over, in milliseconds since 1970. */
  readonly deadline?: number | undefined;
  /** Every token that is read or written, from the cache or not. */
  readonly maxTokens?: number | undefined;
  readonly maxCostUsd?: number | undefined;
  /** Cancels the loop. */
  readonly signal?: AbortSignal | undefined;
}

/** Turns of one conversation, one after the other, inside limits for all of them. */
export interface TurnLoop extends LoopLimits {
  readonly prompt: string;
  /** What is said in all later turns; without it there are none. */
  readonly continuation?: string | undefined;
  readonly maxTurns: number;
  /** The CLI compacts its session after every so many turns, before the next; these compactions are turns by themselves, and do not count as such. */
  readonly compactAfterTurns?: number | undefined;
  /** What runs the conversation's CLI, and nothing else: by it the end of a turn is proven that the CLI did not acknowledge. */
  readonly processes?: Pick<ProcessManager, "processes"> | undefined;
}

/** What a compaction did to the session: the tokens in its context before and after; none where there was too little to compact. */
export interface Compaction {
  readonly tokensBefore?: number;
  readonly tokensAfter?: number;
}

/** One turn of a loop. */
export interface LoopTurn {
  readonly prompt: string;
  readonly stopReason: LoopStopReason;
  /** Set where it was no turn of the agent's, but the CLI compacted the session. */
  readonly compaction?: Compaction;
  /** What it came to; none where it was not run. */
  readonly result?: TurnResult;
  /** The state that it began with; none where it was not recorded. */
  readonly beforeStateId?: string;
  /** The state after it; none where it was refused, and nothing was changed. */
  readonly stateId?: string;
  /** The error that it ended with. */
  readonly error?: ErrorRecord;
  /** Whether the engine has acknowledged that it was stopped: by a receipt, or by the proven end of its process. */
  readonly isStopProven: boolean;
  /** Whether nothing goes on any more in the session, so that another turn can follow. */
  readonly isReusable: boolean;
}

/** What a loop tells while it runs: each turn's own events, and before and after them that it begins and has ended. */
export type LoopEvent =
  | SkeinEvent
  | { readonly type: "loop-turn-start"; readonly number: number; readonly isCompaction: boolean }
  | { readonly type: "loop-turn-end"; readonly number: number; readonly turn: LoopTurn };

/** Runs turns until one does not complete, there is nothing more to say, or there have been enough; gives all of them. */
export async function* runTurnLoop(
  conversation: Conversation,
  loop: TurnLoop,
): AsyncGenerator<LoopEvent, readonly LoopTurn[], void> {
  const turns: LoopTurn[] = [];
  for (let number = 0; number < loop.maxTurns; number += 1) {
    const prompt = number === 0 ? loop.prompt : loop.continuation;
    if (prompt === undefined) break;
    // Everything that speaks against a turn is looked at before anything is changed.
    const stopReason = refuseTurn(loop, turns, conversation.workspace.clock);
    if (stopReason !== undefined) return [...turns, { prompt, stopReason, isStopProven: false, isReusable: true }];
    if (number > 0 && number % (loop.compactAfterTurns ?? Infinity) === 0) {
      if (!(yield* runOne(conversation, loop, { prompt: COMPACT, isCompaction: true, turns, number }))) break;
      const spent = refuseTurn(loop, turns, conversation.workspace.clock);
      if (spent !== undefined) return [...turns, { prompt, stopReason: spent, isStopProven: false, isReusable: true }];
    }
    if (!(yield* runOne(conversation, loop, { prompt, isCompaction: false, turns, number }))) break;
  }
  return turns;
}

/** What the CLI itself takes for the order to compact its session. */
const COMPACT = "/compact";

interface NextTurn {
  readonly prompt: string;
  readonly isCompaction: boolean;
  readonly number: number;
  /** Those before it; it is added to them. */
  readonly turns: LoopTurn[];
}

/** Runs a turn, or a compaction before it; gives whether it completed. */
async function* runOne(
  conversation: Conversation,
  loop: TurnLoop,
  { prompt, isCompaction, number, turns }: NextTurn,
): AsyncGenerator<LoopEvent, boolean, void> {
  yield { type: "loop-turn-start", number, isCompaction };
  const turn = yield* runTurn(conversation, loop, { prompt, isCompaction, before: turns });
  turns.push(turn);
  yield { type: "loop-turn-end", number, turn };
  return turn.stopReason === "completed";
}

export function refuseTurn(limits: LoopLimits, turns: readonly LoopTurn[], clock: Clock): LoopStopReason | undefined {
  if (limits.signal?.aborted) return "cancelled";
  if (limits.deadline !== undefined && clock.now() >= limits.deadline) return "timeout";
  const { maxTokens, maxCostUsd } = leftOf(limits, turns);
  return maxTokens === 0 || maxCostUsd === 0 ? "max_budget_reached" : undefined;
}

async function* runTurn(
  conversation: Conversation,
  loop: TurnLoop,
  { prompt, isCompaction, before }: Omit<NextTurn, "number" | "turns"> & { readonly before: readonly LoopTurn[] },
): AsyncGenerator<SkeinEvent, LoopTurn, void> {
  let start: TurnStartEvent | undefined;
  let stateId: string | undefined;
  let end: (SkeinEvent & { readonly type: "turn-end" }) | undefined;
  let compaction: Compaction | undefined = isCompaction ? {} : undefined;
  const { signal, deadline } = loop;
  const limits = { ...leftOf(loop, before), ...defined({ signal, deadline }) };
  try {
    for await (const event of conversation.stream(prompt, limits)) {
      if (event.type === "turn-start") start = event;
      if (event.type === "state-recorded") ({ stateId } = event);
      if (event.type === "turn-end") end = event;
      if (isCompaction) compaction = readCompaction(event) ?? compaction;
      yield event;
    }
    if (!end) throw new SkeinError("The turn ended without a result", { kind: "runtime" });
  } catch (thrown) {
    const error = toSkeinError(thrown).toJSON();
    // What is thrown before the agent began kept the turn from being run at all; after that, its record was lost.
    const isReusable = start === undefined;
    return {
      prompt,
      stopReason: stopReasonOf(error),
      error,
      isStopProven: false,
      isReusable,
      ...defined({ compaction }),
    };
  }
  const { result, raw } = end;
  const { error } = result;
  const isOutOfTokens = error?.kind === "budget" && error.target === "maxTokens";
  const wasStopped = error?.kind === "cancelled" || error?.kind === "timeout" || isOutOfTokens;
  // A turn that the CLI itself has ended closes with the CLI's own message.
  const beforeStateId = conversation.history().findLast(({ after }) => after.stateId === stateId)?.before.stateId;
  const isSettled = raw !== undefined || loop.processes?.processes().length === 0;
  return {
    prompt,
    stopReason: stopReasonOf(error),
    ...defined({ result, beforeStateId, stateId, error, compaction }),
    isStopProven: wasStopped && isSettled,
    isReusable: isSettled,
  };
}

/** The CLI's own words on what it compacted. */
const CompactBoundary = z.object({
  subtype: z.literal("compact_boundary"),
  compact_metadata: z.object({ pre_tokens: z.int(), post_tokens: z.int().optional() }),
});

function readCompaction({ raw }: SkeinEvent): Compaction | undefined {
  const { data } = CompactBoundary.safeParse(raw);
  if (!data) return undefined;
  const { pre_tokens: tokensBefore, post_tokens: tokensAfter } = data.compact_metadata;
  return { tokensBefore, ...defined({ tokensAfter }) };
}

function leftOf({ maxTokens, maxCostUsd }: LoopLimits, turns: readonly LoopTurn[]): ReturnType<typeof limitsLeft> {
  const results = turns.flatMap(({ result }) => result ?? []);
  return limitsLeft(defined({ maxTokens, maxCostUsd }), results);
}

const STOP_REASONS: Partial<Record<ErrorRecord["kind"], LoopStopReason>> = {
  budget: "max_budget_reached",
  cancelled: "cancelled",
  timeout: "timeout",
};

function stopReasonOf(error: ErrorRecord | undefined): LoopStopReason {
  return error ? (STOP_REASONS[error.kind] ?? "error") : "completed";
}
