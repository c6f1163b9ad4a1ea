/** The value that so many percent of the values do not exceed; undefined where there are none. */
export function percentile(values: readonly number[], percent: number): number | undefined {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
}
