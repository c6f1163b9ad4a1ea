import type { TurnResult } from "../events/event.ts";
import { defined } from "../records.ts";
import type { Amounts } from "./budget.ts";
import { microUsd, sumMicroUsd, toUsd, type MicroUsd } from "./money.ts";
import { addUsage, NO_USAGE, tokensOf, type Usage } from "./usage.ts";

/** What turns have used up. */
export interface Spending extends Usage {
  readonly costUsd: number;
  /** Prompts that were run. */
  readonly turns: number;
  /** Model responses that they took. */
  readonly responses: number;
}

export const NO_SPENDING: Spending = { ...NO_USAGE, costUsd: 0, turns: 0, responses: 0 };

export function sumSpending(parts: Iterable<Spending>): Spending {
  const all = [...parts];
  return {
    ...all.reduce(addUsage, NO_USAGE),
    costUsd: toUsd(sumMicroUsd(all.map(({ costUsd }) => microUsd(costUsd)))),
    turns: all.reduce((sum, { turns }) => sum + turns, 0),
    responses: all.reduce((sum, { responses }) => sum + responses, 0),
  };
}

/** The part of a turn's result, or of its record, that counts. */
type TurnCosts = Pick<TurnResult, "usage" | "costUsd" | "responses">;

/** What one turn has used up, by its result. */
export function spendingOf(turn: TurnCosts): Spending {
  return { ...turn.usage, costUsd: turn.costUsd, turns: 1, responses: turn.responses };
}

/** What attempts at a turn have left of its limits: 0 of what is used up. */
export function limitsLeft({ maxCostUsd, maxTokens }: Amounts, attempts: readonly TurnCosts[]): Amounts {
  if (attempts.length === 0) return defined({ maxCostUsd, maxTokens });
  const spent = sumSpending(attempts.map(spendingOf));
  const leftUsd = (limit: number): number => toUsd(Math.max(0, microUsd(limit) - microUsd(spent.costUsd)) as MicroUsd);
  return defined({
    maxCostUsd: maxCostUsd === undefined ? undefined : leftUsd(maxCostUsd),
    maxTokens: maxTokens === undefined ? undefined : Math.max(0, maxTokens - tokensOf(spent)),
  });
}
