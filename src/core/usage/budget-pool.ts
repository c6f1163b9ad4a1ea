/** The right to spend up to an amount, `"wait"` until others have settled, or `"spent"`. */
export type PoolAnswer = { readonly reserved: number; readonly allowed: number } | "wait" | "spent";

/** One thing that a budget limits, in whole units. */
export interface BudgetPool {
  /** Asks what the next turn would get. */
  ask(asking: PoolAsking): PoolAnswer;
  /** What is neither spent nor reserved; infinite where there is no limit. */
  free(spent: number): number;
  /** What is reserved and not settled. */
  reserved(): number;
  /** Reserves an amount; one below zero is given back. */
  hold(amount: number): void;
  /** Learns what a turn has really spent, by so many responses. */
  learn(spent: number, responses: number): void;
}

/** How things stand when a turn is to begin. */
export interface PoolAsking {
  readonly spent: number;
  /** How many turns could start now. */
  readonly sharers: number;
  /** How many have reserved and not settled. */
  readonly running: number;
}

/** What is known of a pool's turns before the first one. */
export interface PoolOptions {
  /** How much there is; no limit where it is left out. */
  readonly limit?: number | undefined;
  /** What one turn may spend at most. */
  readonly perTurn?: number | undefined;
  /** What one response may cost at most; learnt from what was spent where it is not given. */
  readonly perResponse?: number | undefined;
}

/**
 * Makes a pool that turns at once cannot overdraw by more than one response together. A turn notices its limit only after the
 * response that passed it, so a reservation holds one response more than it allows. As long as nothing is known of
 * responses, one turn runs at a time, and so does the last one, which gets what is left.
 */
export function createBudgetPool({ limit = Infinity, perTurn, perResponse }: PoolOptions): BudgetPool {
  let [reserved, turns, sum, largestTurn, largestResponse] = [0, 0, 0, 0, perResponse ?? 0];
  const alone = (free: number): PoolAnswer => ({ reserved: free, allowed: Math.min(free, perTurn ?? free) });
  const free = (spent: number): number => limit - spent - reserved;

  return {
    free,
    reserved: () => reserved,
    hold: (amount) => void (reserved += amount),
    ask({ spent, sharers, running }) {
      if (limit === Infinity) return { reserved: 0, allowed: perTurn ?? limit };
      if (limit - spent <= 0) return "spent";
      const left = free(spent);
      const isMeasured = perResponse !== undefined || largestResponse > 0;
      if (!isMeasured) return running === 0 ? alone(left) : "wait";
      const needed = (perTurn ?? (turns === 0 ? left : largestTurn)) + largestResponse;
      if (left >= needed) {
        const amount = perTurn === undefined ? Math.max(needed, Math.floor(left / sharers)) : needed;
        return { reserved: amount, allowed: amount - largestResponse };
      }
      if (running > 0) return "wait";
      // What is left pays for no turn like those before: it would be cut off half way, and its money lost.
      return left >= sum / Math.max(1, turns) ? alone(left) : "spent";
    },
    learn(spent, responses) {
      if (spent <= 0) return;
      turns += 1;
      sum += spent;
      largestTurn = Math.max(largestTurn, spent);
      if (perResponse === undefined) {
        largestResponse = Math.max(largestResponse, Math.ceil(spent / Math.max(1, responses)));
      }
    },
  };
}
