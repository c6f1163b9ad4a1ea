import { BudgetTracker, NO_SPENDING, SkeinError } from "../../core/index.ts";

/** What the runs of a server have cost, and may still. */
export interface McpSpending {
  /** Limits a call to what is left; fails where that is nothing. */
  limit(field: string, given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** Counts what a call has cost, by its result or its failure. */
  count(outcome: unknown): void;
}

/** Makes one, for all calls of a server together. */
export function createSpending(maxCostUsd: number): McpSpending {
  const tracker = new BudgetTracker({ maxCostUsd });
  return {
    limit(field, given) {
      const { maxCostUsd: left = 0 } = tracker.left();
      if (left <= 0) {
        throw new SkeinError(`The runs of this server have cost ${tracker.consumed.costUsd} USD, their whole budget`, {
          kind: "budget",
          target: "--max-cost-usd",
          hint: "Whoever starts skein mcp can give it another --max-cost-usd",
        });
      }
      // The model may give a number as a word, as on a command line; what is none is refused later.
      const wanted = Number(given[field] ?? left);
      return Number.isNaN(wanted) ? given : { ...given, [field]: Math.min(wanted, left) };
    },
    count: (outcome) => tracker.count({ ...NO_SPENDING, costUsd: costOf(outcome) }),
  };
}

/** A command tells what it has cost in its data, and in the details of its error. */
function costOf(outcome: unknown): number {
  if (outcome instanceof SkeinError) return Math.max(0, ...Object.values(outcome.details).map(costOf));
  const cost = (outcome as { readonly cost_usd?: unknown } | null | undefined)?.cost_usd;
  return typeof cost === "number" ? cost : 0;
}
