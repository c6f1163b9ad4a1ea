import { systemClock, type Clock } from "../clock.ts";
import { SkeinError } from "../errors.ts";
import { defined } from "../records.ts";
import { Budget, type Amounts } from "./budget.ts";
import { createBudgetPool, type BudgetPool } from "./budget-pool.ts";
import { microUsd, toUsd, type MicroUsd } from "./money.ts";
import { NO_SPENDING, sumSpending, type Spending } from "./spending.ts";
import { inputTokensOf, tokensOf } from "./usage.ts";

/** What can run out, in the order in which it is looked at. */
export type BudgetDimension = "deadline" | "turns" | "input-tokens" | "output-tokens" | "tokens" | "cost";

/** How a budget came to its end: what ran out, how much of it there was, and how much is used. */
export interface BudgetEnd {
  readonly dimension: BudgetDimension;
  /** Tokens, dollars, turns, or for the deadline milliseconds since 1970. */
  readonly limit: number;
  readonly used: number;
}

/** What was used up so far; tokens of the cache are apart from `inputTokens`, and are part of `tokens`. */
export interface Consumption extends Spending {
  readonly tokens: number;
}

/** The limits of one turn, as an engine and an environment take them. */
export interface Allowance extends Amounts {
  readonly deadline?: number;
}

/** The right to run one turn. */
export interface Reservation {
  readonly allowance: Allowance;
  /** What is held for the turn, in whole units. */
  readonly held: Quantities;
}

const RESOURCES = ["cost", "tokens", "turns"] as const;
type Quantities = Readonly<Record<(typeof RESOURCES)[number], number>>;

/** One budget for any number of turns: it counts what they use, and those that run at once reserve before they start. */
export class BudgetTracker {
  readonly budget: Budget;
  /** When everything has to be over, in milliseconds since 1970; undefined where that is not limited. */
  readonly deadline: number | undefined;
  readonly #clock: Clock;
  readonly #pools: Readonly<Record<keyof Quantities, BudgetPool>>;
  readonly #recorded = new Map<string, Spending>();
  #counted = NO_SPENDING;
  readonly #open = new Set<Reservation>();
  readonly #waiting = new Set<() => void>();

  constructor(budget: Budget, clock: Clock = systemClock) {
    this.budget = Budget(budget);
    this.#clock = clock;
    const { deadline = Infinity, maxDurationMs = Infinity } = budget;
    const end = Math.min(deadline, clock.now() + maxDurationMs);
    this.deadline = end === Infinity ? undefined : end;
    this.#pools = createPools(budget);
  }

  /** Takes what is known of this id, unique in the budget, in place of what it had: a stream repeats a message with growing counts. */
  record(id: string, spending: Partial<Spending>): void {
    const whole = { ...NO_SPENDING, ...spending };
    for (const amount of Object.values(whole)) {
      if (Number.isFinite(amount) && amount >= 0) continue;
      throw new SkeinError(`The usage of ${id} has an invalid amount: ${amount}`, { kind: "usage", target: id });
    }
    this.#recorded.set(id, whole);
  }

  /** Counts what a turn has used that had reserved nothing. */
  count(spending: Spending): void {
    this.#counted = sumSpending([this.#counted, spending]);
    const spent = quantitiesOf(spending);
    for (const name of RESOURCES) this.#pools[name].learn(spent[name], spending.responses);
  }

  get consumed(): Consumption {
    const spent = sumSpending([this.#counted, ...this.#recorded.values()]);
    return { ...spent, tokens: tokensOf(spent) };
  }

  /** Money that is held for turns that run. */
  get reservedCostUsd(): number {
    return toUsd(this.#pools.cost.reserved() as MicroUsd);
  }

  /** The first dimension of which nothing is left; undefined as long as there is something of each. */
  exhausted(): BudgetEnd | undefined {
    const { maxTurns, maxInputTokens, maxOutputTokens, maxTokens, maxCostUsd } = this.budget;
    const { consumed } = this;
    const ends: readonly (readonly [BudgetDimension, number | undefined, number])[] = [
      ["deadline", this.deadline, this.#clock.now()],
      ["turns", maxTurns, consumed.turns],
      ["input-tokens", maxInputTokens, inputTokensOf(consumed)],
      ["output-tokens", maxOutputTokens, consumed.outputTokens],
      ["tokens", maxTokens, consumed.tokens],
      ["cost", maxCostUsd, consumed.costUsd],
    ];
    for (const [dimension, limit, used] of ends) {
      // Used up to the last one is used up: whoever asks wants to use more.
      if (limit !== undefined && used >= limit) return { dimension, limit, used };
    }
    return undefined;
  }

  /** What is neither used up nor reserved, as the limits of one more turn. */
  left(): Allowance {
    const spent = quantitiesOf(this.consumed);
    return this.#allow(this.#pools.cost.free(spent.cost), this.#pools.tokens.free(spent.tokens));
  }

  /** Reserves money for a turn, at most `maxCostUsd`, without waiting; undefined where all of it is spent or reserved. */
  take(maxCostUsd = Infinity): Reservation | undefined {
    const free = this.#pools.cost.free(quantitiesOf(this.consumed).cost);
    if (free <= 0) return undefined;
    const cost = Math.min(free, microUsd(Math.min(maxCostUsd, this.budget.perTurn?.maxCostUsd ?? Infinity)));
    const held = { cost: cost === Infinity ? 0 : cost, tokens: 0, turns: 0 };
    return this.#grant({ allowance: this.#allow(cost, Infinity), held });
  }

  /** Reserves for a turn where `sharers` could start now; waits while running ones may still return something; undefined when all is spent. */
  async reserve(options: { sharers?: number; signal?: AbortSignal } = {}): Promise<Reservation | undefined> {
    const { sharers = 1, signal } = options;
    for (;;) {
      if (signal?.aborted || this.#clock.now() >= (this.deadline ?? Infinity)) return undefined;
      const spent = quantitiesOf(this.consumed);
      const asking = { sharers: Math.max(1, sharers), running: this.#open.size };
      const [cost, tokens, turns] = RESOURCES.map((name) => this.#pools[name].ask({ ...asking, spent: spent[name] }));
      if (cost === "spent" || tokens === "spent" || turns === "spent") return undefined;
      if (typeof cost === "object" && typeof tokens === "object" && typeof turns === "object") {
        const held = { cost: cost.reserved, tokens: tokens.reserved, turns: turns.reserved };
        return this.#grant({ allowance: this.#allow(cost.allowed, tokens.allowed), held });
      }
      await this.#nextChange(signal);
    }
  }

  /** Gives a reservation back and counts what was really spent. A second call does nothing. */
  settle(reservation: Reservation, spending: Spending): void {
    if (!this.#open.delete(reservation)) return;
    for (const name of RESOURCES) this.#pools[name].hold(-reservation.held[name]);
    this.count(spending);
    for (const wake of this.#waiting) wake();
  }

  #grant(reservation: Reservation): Reservation {
    for (const name of RESOURCES) this.#pools[name].hold(reservation.held[name]);
    this.#open.add(reservation);
    return reservation;
  }

  #allow(cost: number, tokens: number): Allowance {
    return defined({
      maxCostUsd: cost === Infinity ? undefined : toUsd(Math.max(0, cost) as MicroUsd),
      maxTokens: tokens === Infinity ? undefined : Math.max(0, tokens),
      deadline: this.deadline,
    });
  }

  #nextChange(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal?.addEventListener("abort", wake, { once: true });
    });
  }
}

function createPools(budget: Budget): Readonly<Record<keyof Quantities, BudgetPool>> {
  const { maxCostUsd, maxTokens, maxTurns, perTurn, perResponse } = budget;
  const micro = (usd: number | undefined): number | undefined => (usd === undefined ? undefined : microUsd(usd));
  return {
    cost: createBudgetPool({
      limit: micro(maxCostUsd),
      perTurn: micro(perTurn?.maxCostUsd),
      perResponse: micro(perResponse?.maxCostUsd),
    }),
    tokens: createBudgetPool({ limit: maxTokens, perTurn: perTurn?.maxTokens, perResponse: perResponse?.maxTokens }),
    turns: createBudgetPool({ limit: maxTurns, perTurn: 1, perResponse: 0 }),
  };
}

function quantitiesOf(spending: Spending): Quantities {
  return { cost: microUsd(spending.costUsd), tokens: tokensOf(spending), turns: spending.turns };
}
