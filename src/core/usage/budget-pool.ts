/** The right to spend up to an amount, `"wait"` until others have settled, or `"spent"`. */
type PoolAnswer = { readonly reserved: number; readonly allowed: number } | "wait" | "spent";

/** One thing that a budget limits, in whole units. */
export interface BudgetPool {
  /** What the next turn would get, where `sharers` could start now and `running` have reserved and not settled. */
  ask(asking: { readonly spent: number; readonly sharers: number; readonly running: number }): PoolAnswer;
  /** What is neither spent nor reserved; infinite where there is no limit. */
  free(spent: number): number;
  reserved(): number;
  /** Reserves an amount; one below zero is given back. */
  hold(amount: number): void;
  /** Learns what a turn has really spent, by so many responses. */
  learn(spent: number, responses: number): void;
}

/**
 * Makes a pool that turns at once cannot overdraw by more than one response together. A turn notices its limit only after the
 * response that passed it, so a reservation holds one response more than it allows. As long as nothing is known of
 * responses (`perResponse`, or what was learnt), one turn runs at a time, and so does the last one, which gets what is left.
 */
export function createBudgetPool({
  limit = Infinity,
  perTurn,
  perResponse,
}: Partial<Record<"limit" | "perTurn" | "perResponse", number | undefined>>): BudgetPool {
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
