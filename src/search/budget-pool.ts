/** The right to spend up to an amount, `"wait"` until others have settled, or `"spent"`. */
export type PoolAnswer = { readonly reserved: number; readonly allowed: number } | "wait" | "spent";

/** One thing that a budget limits, in whole units. */
export interface BudgetPool {
  /** Asks what the next branch would get; `sharers` branches could start now, `running` have reserved and not settled. */
  ask(sharers: number, running: number): PoolAnswer;
  reserve(amount: number): void;
  /** Gives a reservation back, and takes what was really spent, by so many messages. */
  settle(reserved: number, spent: number, messages: number): void;
  spent(): number;
}

/** What is known of a pool's branches before the first one. */
export interface PoolOptions {
  /** How much there is; infinity for no limit. */
  readonly limit: number;
  /** What one branch may spend at most. */
  readonly perBranch?: number | undefined;
  /** What one message may cost at most; learnt from what was spent where it is not given. */
  readonly perMessage?: number | undefined;
}

/**
 * Makes a pool that N branches cannot overdraw by more than one message together. A branch notices its limit only after the
 * message that passed it, so a reservation holds one message more than it allows. As long as nothing is known of
 * messages, one branch runs at a time, and so does the last one, which gets what is left.
 */
export function createBudgetPool({ limit, perBranch, perMessage }: PoolOptions): BudgetPool {
  let spent = 0;
  let reserved = 0;
  let branches = 0;
  let largestBranch = 0;
  let largestMessage = perMessage ?? 0;

  const isMeasured = (): boolean => perMessage !== undefined || largestMessage > 0;
  const expected = (free: number): number => perBranch ?? (branches === 0 ? free : largestBranch);

  return {
    spent: () => spent,
    ask(sharers, running) {
      if (limit === Number.POSITIVE_INFINITY) return { reserved: 0, allowed: perBranch ?? limit };
      const free = limit - spent - reserved;
      if (limit - spent <= 0) return "spent";
      if (!isMeasured()) return running === 0 ? alone(free) : "wait";
      const needed = expected(free) + largestMessage;
      if (free >= needed) {
        const amount = perBranch === undefined ? Math.max(needed, Math.floor(free / sharers)) : needed;
        return { reserved: amount, allowed: amount - largestMessage };
      }
      if (running > 0) return "wait";
      // What is left pays for no branch like those before: it would be cut off half way, and its money lost.
      return free >= spent / Math.max(1, branches) ? alone(free) : "spent";
    },
    reserve(amount) {
      reserved += amount;
    },
    settle(amount, actual, messages) {
      reserved -= amount;
      spent += actual;
      if (actual <= 0) return;
      branches += 1;
      largestBranch = Math.max(largestBranch, actual);
      if (perMessage === undefined) {
        largestMessage = Math.max(largestMessage, Math.ceil(actual / Math.max(1, messages)));
      }
    },
  };

  function alone(free: number): PoolAnswer {
    return { reserved: free, allowed: Math.min(free, perBranch ?? free) };
  }
}
