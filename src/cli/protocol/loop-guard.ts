import { BudgetTracker, defined, sumSpending, systemClock, type Clock, type Spending } from "../../core/index.ts";
import type { TurnOptions } from "../../engine/index.ts";
import type { LoopTurn } from "./loop-turn.ts";
import type { StopReason } from "./stop-reason.ts";

/** What all turns of a loop may take together. */
export interface LoopLimits {
  /** When all of it has to be over, in milliseconds since 1970. */
  readonly deadline?: number | undefined;
  /** Every token that is read or written, from the cache or not. */
  readonly maxTokens?: number | undefined;
  readonly maxCostUsd?: number | undefined;
  /** Cancels the loop. */
  readonly signal: AbortSignal;
}

/** Keeps the turns of a loop inside its limits. */
export interface LoopGuard {
  /** Why no other turn may begin; undefined where it may. */
  refuse(turns: readonly LoopTurn[]): StopReason | undefined;
  /** The limits of the turn that begins now: what those that were run have left. */
  begin(turns: readonly LoopTurn[]): TurnOptions;
}

/** Makes the guard of a loop. */
export function createLoopGuard(limits: LoopLimits, clock: Clock = systemClock): LoopGuard {
  const { deadline, maxTokens, maxCostUsd, signal } = limits;
  const hasBudget = maxTokens !== undefined || maxCostUsd !== undefined;
  const tracker = hasBudget ? new BudgetTracker(defined({ maxTokens, maxCostUsd }), clock) : undefined;
  const count = (turns: readonly LoopTurn[]): void => tracker?.record("turns", spentBy(turns));
  return {
    refuse(turns) {
      if (signal.aborted) return "cancelled";
      if (deadline !== undefined && clock.now() >= deadline) return "timeout";
      count(turns);
      return tracker?.exhausted() ? "max_budget_reached" : undefined;
    },
    begin(turns) {
      count(turns);
      return { signal, ...tracker?.left(), ...defined({ deadline }) };
    },
  };
}

/** What turns have used up together. */
export function spentBy(turns: readonly LoopTurn[]): Spending {
  return sumSpending(
    turns.map(({ usage, cost_usd: costUsd }) => ({
      inputTokens: usage.input_tokens,
      outputTokens: usage.output_tokens,
      cacheReadTokens: usage.cache_read_tokens,
      cacheWriteTokens: usage.cache_write_tokens,
      costUsd,
      turns: 1,
      responses: 0,
    })),
  );
}
