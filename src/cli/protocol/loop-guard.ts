import { defined, microUsd, sumMicroUsd, systemClock, toUsd, type Clock, type MicroUsd } from "../../core/index.ts";
import type { TurnOptions } from "../../engine/index.ts";
import type { LoopTurn } from "./loop-turn.ts";
import type { StopReason } from "./stop-reason.ts";
import { createTokenMeter, type TokenMeter } from "./token-meter.ts";

/** What all turns of a loop may take together. */
export interface LoopLimits {
  /** When all of it has to be over, in milliseconds since 1970. */
  readonly deadline?: number | undefined;
  /** Every token that is read or written, from the cache or not. */
  readonly maxTokens?: number | undefined;
  readonly maxUsd?: number | undefined;
  /** Cancels the loop. */
  readonly signal: AbortSignal;
}

/** Keeps the turns of a loop inside its limits: before each of them, and while it runs. */
export interface LoopGuard {
  /** Why no other turn may begin; undefined where it may. */
  refuse(turns: readonly LoopTurn[]): StopReason | undefined;
  /** The limits of the turn that begins now, after those that were run. */
  begin(turns: readonly LoopTurn[]): TurnOptions;
  /** To be told every message of the engine. */
  onMessage(message: unknown): void;
  /** Whether the turn that was begun last has used up the tokens. */
  isSpent(): boolean;
}

/** Makes the guard of a loop. Each turn may cost what the ones before it have left. */
export function createLoopGuard(limits: LoopLimits, clock: Clock = systemClock): LoopGuard {
  const { deadline, maxTokens = Infinity, maxUsd = Infinity } = limits;
  let meter: TokenMeter | undefined;
  let isSpent = false;
  return {
    refuse(turns) {
      if (limits.signal.aborted) return "cancelled";
      if (deadline !== undefined && clock.now() >= deadline) return "timeout";
      const isOver = tokensOf(turns) >= maxTokens || costOf(turns) >= maxUsd;
      return isOver ? "max_budget_reached" : undefined;
    },
    begin(turns) {
      const stop = new AbortController();
      isSpent = false;
      meter = createTokenMeter(maxTokens - tokensOf(turns), () => {
        isSpent = true;
        stop.abort();
      });
      return {
        signal: AbortSignal.any([limits.signal, stop.signal]),
        ...defined({ deadline }),
        ...(maxUsd === Infinity ? {} : { maxCostUsd: leftUsd(maxUsd, turns) }),
      };
    },
    onMessage: (message) => meter?.read(message),
    isSpent: () => isSpent,
  };
}

function leftUsd(maxUsd: number, turns: readonly LoopTurn[]): number {
  return toUsd((microUsd(maxUsd) - microUsd(costOf(turns))) as MicroUsd);
}

function tokensOf(turns: readonly LoopTurn[]): number {
  const counts = turns.flatMap(({ usage }) => Object.values(usage));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** What turns cost together. */
export function costOf(turns: readonly LoopTurn[]): number {
  return toUsd(sumMicroUsd(turns.map(({ cost_usd: cost }) => microUsd(cost))));
}
