import { BudgetTracker, type BudgetEnd, type Clock, type Spending } from "../../core/internal.ts";
import type { EvaluateOptions } from "./adapter-options.ts";

export type Limits = ReturnType<typeof createLimits>;

/** A budget without a tracker gets one of its own; where there are both, both hold. */
export function createLimits({ deadline, budget, budgetTracker }: EvaluateOptions, clock: Clock) {
  const own = budget && new BudgetTracker(budget, clock);
  const trackers = [budgetTracker, own].flatMap((tracker) => tracker ?? []);
  const deadlines = [deadline, ...trackers.map((tracker) => tracker.deadline)].flatMap((time) => time ?? []);
  const earliest = deadlines.length === 0 ? undefined : Math.min(...deadlines);
  return {
    deadline: earliest,
    /** The one that handlers see. */
    tracker: trackers[0],
    exhausted(): BudgetEnd | undefined {
      const used = clock.now();
      if (earliest !== undefined && used >= earliest) return { dimension: "deadline", limit: earliest, used };
      return trackers.map((tracker) => tracker.exhausted()).find((end) => end !== undefined);
    },
    /** Counts what an evaluation has used, in the place of what was counted for it before. */
    record(id: string, spending: Spending) {
      for (const tracker of trackers) tracker.record(id, spending);
    },
    leftUsd() {
      const left = trackers.flatMap((tracker) => tracker.left().maxCostUsd ?? []);
      return left.length === 0 ? undefined : Math.min(...left);
    },
  };
}
