import { BudgetTracker, type Budget, type BudgetEnd, type Clock, type Spending } from "../../core/index.ts";

/** What an evaluation may use, from all sides. */
export interface Limits {
  /** The earliest deadline of all, in milliseconds since 1970. */
  readonly deadline: number | undefined;
  /** The tracker that handlers see. */
  readonly tracker: BudgetTracker | undefined;
  /** What has run out; undefined as long as there is something of everything. */
  exhausted(): BudgetEnd | undefined;
  /** Counts what an evaluation has used, in the place of what was counted for it before. */
  record(id: string, spending: Spending): void;
  /** Money that is left; undefined where there is no limit on it. */
  leftUsd(): number | undefined;
}

/** What the caller limits an evaluation by. */
export interface LimitOptions {
  readonly deadline?: number;
  readonly budget?: Budget;
  readonly budgetTracker?: BudgetTracker;
}

/** A budget without a tracker gets one of its own; where there are both, both hold. */
export function createLimits({ deadline, budget, budgetTracker }: LimitOptions, clock: Clock): Limits {
  const own = budget && new BudgetTracker(budget, clock);
  const trackers = [budgetTracker, own].flatMap((tracker) => tracker ?? []);
  const deadlines = [deadline, ...trackers.map((tracker) => tracker.deadline)].flatMap((time) => time ?? []);
  const earliest = deadlines.length === 0 ? undefined : Math.min(...deadlines);
  return {
    deadline: earliest,
    tracker: trackers[0],
    exhausted() {
      const used = clock.now();
      if (earliest !== undefined && used >= earliest) return { dimension: "deadline", limit: earliest, used };
      return trackers.map((tracker) => tracker.exhausted()).find((end) => end !== undefined);
    },
    record(id, spending) {
      for (const tracker of trackers) tracker.record(id, spending);
    },
    leftUsd() {
      const left = trackers.flatMap((tracker) => tracker.left().maxCostUsd ?? []);
      return left.length === 0 ? undefined : Math.min(...left);
    },
  };
}
