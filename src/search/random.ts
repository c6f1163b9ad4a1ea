/** Randomness that a seed decides. */
export interface Random {
  /** From 0 up to 1, without 1. */
  next(): number;
  /** A whole number from 0 up to `limit`, without it. */
  below(limit: number): number;
  /** The items in another order. */
  shuffle<Item>(items: readonly Item[]): Item[];
}

/** Makes randomness of a seed: equal seeds, equal numbers (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    shuffle(items) {
      const shuffled = [...items];
      for (let last = shuffled.length - 1; last > 0; last -= 1) {
        const other = below(last + 1);
        [shuffled[last], shuffled[other]] = [shuffled[other]!, shuffled[last]!];
      }
      return shuffled;
    },
  };
}
