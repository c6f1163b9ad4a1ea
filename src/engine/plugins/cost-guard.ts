import {
  BudgetTracker,
  ClaudeConfigError,
  defined,
  NO_SPENDING,
  spendingOf,
  type Reservation,
  type Spending,
  type TurnResult,
} from "../../core/internal.ts";
import type { SkeinPlugin, TurnRefusal } from "./skein-plugin.ts";

/** What turns may cost. */
export interface CostLimits {
  /** Money for each turn. */
  readonly maxCostUsdPerTurn?: number;
  /** Money for all turns together. */
  readonly maxCostUsd?: number;
  /** Tokens for all turns together, those of the cache included; looked at before a turn, not during it. */
  readonly maxTokens?: number;
}

/**
 * Keeps turns inside limits: each is given what is left as its budget, and none is begun once nothing is. Turns at the
 * same time reserve before they run. A turn that was left before it could say what it cost counts as all it could have.
 */
export function createCostGuard(limits: CostLimits): SkeinPlugin {
  checkLimits(limits);
  const { maxCostUsd, maxTokens, maxCostUsdPerTurn } = limits;
  const perTurn = defined({ maxCostUsd: maxCostUsdPerTurn });
  const tracker = new BudgetTracker({ ...defined({ maxCostUsd, maxTokens }), perTurn });
  const running = new Map<string, Reservation>();
  const started = new Set<string>();
  let refusedTurns = 0;

  const refuse = (reason: string, hint: string): TurnRefusal => {
    refusedTurns += 1;
    return { refuse: reason, kind: "budget", hint };
  };

  return {
    name: "cost-guard",
    beforeQuery({ id, options }) {
      const { tokens, costUsd } = tracker.consumed;
      if (tokens >= (maxTokens ?? Infinity))
        return refuse(`The ${maxTokens} tokens for all turns are spent`, "Raise `maxTokens`.");
      if (costUsd >= (maxCostUsd ?? Infinity))
        return refuse(`The ${maxCostUsd} USD for all turns are spent`, "Raise `maxCostUsd`.");
      const reservation = tracker.take(options.maxCostUsd);
      if (!reservation) {
        const { maxCostUsd: freeUsd = 0 } = tracker.left();
        const hint =
          "Wait for one to end, or set `maxCostUsdPerTurn` so that a turn does not reserve all that is left.";
        const left = freeUsd + tracker.reservedCostUsd;
        return refuse(`The remaining ${left} USD are reserved by running turns`, hint);
      }
      running.set(id, reservation);
      const { maxCostUsd: allowed } = reservation.allowance;
      return allowed === undefined ? undefined : { options: { maxCostUsd: allowed } };
    },
    onMessage(event, { id }) {
      if (event.type === "turn-start") started.add(id);
      return event;
    },
    afterQuery(result, { id }) {
      const reservation = running.get(id);
      if (!reservation) return;
      running.delete(id);
      tracker.settle(reservation, spentBy(result, started.delete(id) ? reservation.allowance.maxCostUsd : 0));
    },
    metrics: () => {
      const { costUsd, tokens } = tracker.consumed;
      return { spentUsd: costUsd, reservedUsd: tracker.reservedCostUsd, tokens, refusedTurns };
    },
  };
}

/** A turn that began and has no count of its responses was ended from outside: nobody knows what it cost, at most `mostUsd`. */
function spentBy(result: TurnResult | undefined, mostUsd = 0): Spending {
  const isUnknown = !result || (result.isError && result.responses === 0 && result.costUsd === 0);
  const spent = result ? spendingOf(result) : { ...NO_SPENDING, turns: 1 };
  return isUnknown ? { ...spent, costUsd: mostUsd } : spent;
}

function checkLimits(limits: CostLimits): void {
  for (const [option, value] of Object.entries(limits) as [keyof CostLimits, number | undefined][]) {
    if (value === undefined || value > 0) continue;
    throw new ClaudeConfigError(`${option} is ${value}; it must be a number above 0`, { option });
  }
}
