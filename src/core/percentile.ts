/** A percentile of sorted numbers by the nearest rank: the lowest of them that so many percent are not above. Of none, NaN. */
export function percentile(sorted: ArrayLike<number>, percent: number): number {
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
}
