/** Money inside Skein: whole millionths of a dollar, so that sums are exact. */
export type MicroUsd = number & { readonly unit: "micro-usd" };

/** Dollars, as the API and people write them, to whole micro-dollars. */
export function microUsd(usd: number): MicroUsd {
  return Math.round(usd * 1_000_000) as MicroUsd;
}

/** Whole micro-dollars to the `costUsd` that interfaces show. */
export function toUsd(amount: MicroUsd): number {
  return amount / 1_000_000;
}

export function sumMicroUsd(amounts: Iterable<MicroUsd>): MicroUsd {
  let total = 0;
  for (const amount of amounts) total += amount;
  return total as MicroUsd;
}
