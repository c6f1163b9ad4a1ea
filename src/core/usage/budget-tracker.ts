import { Budget } from "./budget.ts";
import { systemClock, type Clock } from "../clock.ts";
import { microUsd, sumMicroUsd, toUsd, type MicroUsd } from "./money.ts";
import { SkeinError } from "../errors.ts";
import { addUsage, inputTokensOf, NO_USAGE, tokensOf, type Usage } from "./usage.ts";

/** What can run out, in the order in which it is looked at. */
export type BudgetDimension = "deadline" | "input-tokens" | "output-tokens" | "total-tokens" | "cost";

/** How a budget came to its end: what ran out, how much of it there was, and how much is used. */
export interface BudgetEnd {
  readonly dimension: BudgetDimension;
  /** Tokens, dollars, or for the deadline milliseconds since 1970. */
  readonly limit: number;
  readonly used: number;
}

/** What was used up so far; tokens of the cache are apart from `inputTokens`, and are part of `totalTokens`. */
export interface Consumption extends Usage {
  readonly totalTokens: number;
  readonly costUsd: number;
}

/** Counts what evaluations use of one budget; any number of them at once may share it. */
export class BudgetTracker {
  readonly budget: Budget;
  readonly #clock: Clock;
  readonly #recorded = new Map<string, { readonly usage: Usage; readonly cost: MicroUsd }>();

  constructor(budget: Budget, clock: Clock = systemClock) {
    this.budget = Budget(budget);
    this.#clock = clock;
  }

  /**
   * Takes what the message of this id has used until now, in place of what was recorded for it before. A stream
   * repeats an id with growing counts; so each message counts once. The id is the API's, unique across evaluations.
   */
  record(id: string, usage: Usage, costUsd = 0): void {
    for (const amount of [...Object.values({ ...NO_USAGE, ...usage }), costUsd]) {
      if (Number.isFinite(amount) && amount >= 0) continue;
      throw new SkeinError(`The usage of ${id} has an invalid amount: ${amount}`, {
        kind: "usage",
        target: id,
      });
    }
    this.#recorded.set(id, { usage, cost: microUsd(costUsd) });
  }

  /** The sum over all messages. */
  get consumed(): Consumption {
    const recorded = [...this.#recorded.values()];
    const usage = recorded.reduce((sum, each) => addUsage(sum, each.usage), NO_USAGE);
    return { ...usage, totalTokens: tokensOf(usage), costUsd: toUsd(sumMicroUsd(recorded.map(({ cost }) => cost))) };
  }

  /** The first dimension of which nothing is left; undefined as long as there is something of each. */
  exhausted(): BudgetEnd | undefined {
    const { deadline, maxInputTokens, maxOutputTokens, maxTotalTokens, maxCostUsd } = this.budget;
    const consumed = this.consumed;
    const ends: readonly (readonly [BudgetDimension, number | undefined, number])[] = [
      ["deadline", deadline, this.#clock.now()],
      ["input-tokens", maxInputTokens, inputTokensOf(consumed)],
      ["output-tokens", maxOutputTokens, consumed.outputTokens],
      ["total-tokens", maxTotalTokens, consumed.totalTokens],
      ["cost", maxCostUsd, consumed.costUsd],
    ];
    for (const [dimension, limit, used] of ends) {
      // Used up to the last one is used up: whoever asks wants to use more.
      if (limit !== undefined && used >= limit) return { dimension, limit, used };
    }
    return undefined;
  }
}
