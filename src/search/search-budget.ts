import { defined, microUsd, systemClock, toUsd, type Clock, type MicroUsd } from "../core/index.ts";
import { createBudgetPool, type BudgetPool, type PoolAnswer } from "./budget-pool.ts";

/** What a search may use up, all its branches together. What is left out is not limited. */
export interface BudgetLimits {
  readonly maxCostUsd?: number;
  /** Counted as by `tokensOf`. */
  readonly maxTokens?: number;
  /** Prompts that may be run. */
  readonly maxTurns?: number;
  /** From the making of the budget. */
  readonly maxDurationMs?: number;
  /** What one branch may use up; the largest branch so far is expected where it is left out. */
  readonly perBranch?: Amounts;
  /** What one message may use up. Where it is left out the first branch runs alone, to find out. */
  readonly perMessage?: Amounts;
}

/** Money and tokens. */
export interface Amounts {
  readonly costUsd?: number;
  readonly tokens?: number;
}

/** What a branch has used up. */
export interface Spending {
  readonly costUsd: number;
  readonly tokens: number;
  readonly turns: number;
  /** Model responses that it took. */
  readonly messages: number;
}

/** The right to run one branch. */
export interface Reservation {
  /** The limits for the branch, as an environment takes them. */
  readonly allowance: { readonly maxCostUsd?: number; readonly maxTokens?: number; readonly deadline?: number };
  readonly amounts: Readonly<Record<Resource, number>>;
}

/** One budget for many branches, which reserve before they start and settle when they have ended. */
export interface SearchBudget {
  /** Reserves for a branch; waits while running ones may still return something; undefined when the budget is spent. */
  reserve(options?: { readonly sharers?: number; readonly signal?: AbortSignal }): Promise<Reservation | undefined>;
  /** Gives a reservation back and counts what was really spent. A second call does nothing. */
  settle(reservation: Reservation, spending: Spending): void;
  /** Counts what was spent without a reservation: by a search that is being continued. */
  count(spending: Spending): void;
  spent(): { readonly costUsd: number; readonly tokens: number; readonly turns: number };
}

/** Nothing used up. */
export const NO_SPENDING: Spending = { costUsd: 0, tokens: 0, turns: 0, messages: 0 };

const RESOURCES = ["cost", "tokens", "turns"] as const;
type Resource = (typeof RESOURCES)[number];

/** Makes a budget; its time begins to run now. */
export function createSearchBudget(limits: BudgetLimits, clock: Clock = systemClock): SearchBudget {
  const pools = createPools(limits);
  const deadline = limits.maxDurationMs === undefined ? undefined : clock.now() + limits.maxDurationMs;
  const open = new Set<Reservation>();
  const waiting = new Set<() => void>();

  return {
    async reserve({ sharers = 1, signal } = {}) {
      for (;;) {
        if (signal?.aborted || (deadline !== undefined && clock.now() >= deadline)) return undefined;
        const answer = askAll(pools, { sharers, running: open.size });
        if (answer === "spent") return undefined;
        if (answer === "wait") {
          await nextChange(waiting, signal);
          continue;
        }
        for (const resource of RESOURCES) pools[resource].reserve(answer.amounts[resource]);
        const allowance = { ...answer.allowance, ...defined({ deadline }) };
        const reservation = { allowance, amounts: answer.amounts };
        open.add(reservation);
        return reservation;
      }
    },
    settle(reservation, spending) {
      if (!open.delete(reservation)) return;
      settleAll(pools, reservation.amounts, spending);
      for (const wake of waiting) wake();
    },
    count: (spending) => settleAll(pools, NOTHING, spending),
    spent: () => ({
      costUsd: toUsd(pools.cost.spent() as MicroUsd),
      tokens: pools.tokens.spent(),
      turns: pools.turns.spent(),
    }),
  };
}

type Pools = Readonly<Record<Resource, BudgetPool>>;

const NOTHING = { cost: 0, tokens: 0, turns: 0 };

function createPools({ maxCostUsd, maxTokens, maxTurns, perBranch, perMessage }: BudgetLimits): Pools {
  const micro = (usd: number | undefined): number | undefined => (usd === undefined ? undefined : microUsd(usd));
  const unlimited = Number.POSITIVE_INFINITY;
  return {
    cost: createBudgetPool({
      limit: micro(maxCostUsd) ?? unlimited,
      perBranch: micro(perBranch?.costUsd),
      perMessage: micro(perMessage?.costUsd),
    }),
    tokens: createBudgetPool({
      limit: maxTokens ?? unlimited,
      perBranch: perBranch?.tokens,
      perMessage: perMessage?.tokens,
    }),
    turns: createBudgetPool({ limit: maxTurns ?? unlimited, perBranch: 1, perMessage: 0 }),
  };
}

/** What a branch gets of every pool; nothing of any as long as one of them has too little. */
function askAll(
  pools: Pools,
  { sharers, running }: { readonly sharers: number; readonly running: number },
): Pick<Reservation, "allowance" | "amounts"> | "wait" | "spent" {
  const [cost, tokens, turns] = RESOURCES.map((resource) => pools[resource].ask(Math.max(1, sharers), running));
  if (cost === "spent" || tokens === "spent" || turns === "spent") return "spent";
  if (!isGranted(cost) || !isGranted(tokens) || !isGranted(turns)) return "wait";
  return {
    allowance: {
      ...(Number.isFinite(cost.allowed) ? { maxCostUsd: toUsd(cost.allowed as MicroUsd) } : {}),
      ...(Number.isFinite(tokens.allowed) ? { maxTokens: tokens.allowed } : {}),
    },
    amounts: { cost: cost.reserved, tokens: tokens.reserved, turns: turns.reserved },
  };
}

function isGranted(answer: PoolAnswer | undefined): answer is Exclude<PoolAnswer, string> {
  return typeof answer === "object";
}

function settleAll(
  pools: Pools,
  amounts: Reservation["amounts"],
  { costUsd, tokens, turns, messages }: Spending,
): void {
  pools.cost.settle(amounts.cost, microUsd(costUsd), messages);
  pools.tokens.settle(amounts.tokens, tokens, messages);
  pools.turns.settle(amounts.turns, turns, 1);
}

/** Resolves when a reservation was settled, or the signal is aborted. */
function nextChange(waiting: Set<() => void>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      waiting.delete(wake);
      signal?.removeEventListener("abort", wake);
      resolve();
    };
    waiting.add(wake);
    signal?.addEventListener("abort", wake, { once: true });
  });
}
