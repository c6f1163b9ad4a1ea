import {
  ClaudeConfigError,
  microUsd,
  sumMicroUsd,
  toUsd,
  type MicroUsd,
  type TurnResult,
  type Usage,
} from "../../core/index.ts";
import type { SkeinPlugin, TurnRefusal } from "./skein-plugin.ts";

/** What turns may cost. */
export interface CostLimits {
  /** Money for each turn. */
  readonly maxUsdPerTurn?: number;
  /** Money for all turns together. */
  readonly maxUsdTotal?: number;
  /** Tokens for all turns together, those of the cache included; looked at before a turn, not during it. */
  readonly maxTokensTotal?: number;
}

/** What a running turn may spend; nobody else can have it meanwhile. */
interface Reservation {
  readonly amount: MicroUsd;
  hasStarted: boolean;
}

const NO_LIMIT = Infinity as MicroUsd;

/**
 * Keeps turns inside limits: each is given what is left as its budget, and none is begun once nothing is. Turns at the
 * same time reserve before they run. A turn that was left before it could say what it cost counts as all it could have.
 */
export function createCostGuard(limits: CostLimits): SkeinPlugin {
  checkLimits(limits);
  const total = limits.maxUsdTotal === undefined ? NO_LIMIT : microUsd(limits.maxUsdTotal);
  const perTurn = limits.maxUsdPerTurn === undefined ? NO_LIMIT : microUsd(limits.maxUsdPerTurn);
  const maxTokens = limits.maxTokensTotal ?? Infinity;
  const running = new Map<string, Reservation>();
  let [spent, tokens, refusedTurns] = [microUsd(0), 0, 0];
  const reserved = (): MicroUsd =>
    sumMicroUsd([...running.values()].map(({ amount }) => amount).filter(Number.isFinite));

  const refuse = (reason: string, hint: string): TurnRefusal => {
    refusedTurns += 1;
    return { refuse: reason, kind: "budget", hint };
  };

  return {
    name: "cost-guard",
    beforeQuery({ id, options }) {
      const left = (total - spent) as MicroUsd;
      const free = (left - reserved()) as MicroUsd;
      if (tokens >= maxTokens)
        return refuse(`The ${maxTokens} tokens for all turns are spent`, "Raise maxTokensTotal.");
      if (left <= 0) return refuse(`The ${toUsd(total)} USD for all turns are spent`, "Raise maxUsdTotal.");
      if (free <= 0) {
        const hint = "Wait for one to end, or set maxUsdPerTurn so that a turn does not reserve all that is left.";
        return refuse(`The remaining ${toUsd(left)} USD are reserved by running turns`, hint);
      }
      const own = options.maxCostUsd === undefined ? NO_LIMIT : microUsd(options.maxCostUsd);
      const amount = Math.min(free, perTurn, own) as MicroUsd;
      running.set(id, { amount, hasStarted: false });
      return Number.isFinite(amount) ? { options: { maxCostUsd: toUsd(amount) } } : undefined;
    },
    onMessage(event, { id }) {
      const reservation = running.get(id);
      if (reservation && event.type === "turn-start") reservation.hasStarted = true;
      return event;
    },
    afterQuery(result, { id }) {
      const reservation = running.get(id);
      if (!reservation) return;
      running.delete(id);
      spent = sumMicroUsd([spent, costOf(result, reservation)]);
      tokens += result ? countTokens(result.usage) : 0;
    },
    metrics: () => ({ spentUsd: toUsd(spent), reservedUsd: toUsd(reserved()), tokens, refusedTurns }),
  };
}

/** A turn that began and has no count of its responses was ended from outside, and nobody knows what it cost. */
function costOf(result: TurnResult | undefined, { amount, hasStarted }: Reservation): MicroUsd {
  const isUnknown = hasStarted && (!result || (result.isError && result.responses === 0 && result.costUsd === 0));
  if (isUnknown) return Number.isFinite(amount) ? amount : microUsd(0);
  return microUsd(result?.costUsd ?? 0);
}

function countTokens({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage): number {
  return inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
}

function checkLimits(limits: CostLimits): void {
  for (const [option, value] of Object.entries(limits) as [keyof CostLimits, number | undefined][]) {
    if (value === undefined || value > 0) continue;
    throw new ClaudeConfigError(`${option} is ${value}; it must be a number above 0`, { option });
  }
}
