/** The known name that was probably meant; undefined where none is near. Case and underscores count for nothing. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const wanted = normal(name);
  const ranked = known
    .map((candidate) => ({ candidate, distance: editDistance(wanted, normal(candidate)) }))
    .toSorted((one, other) => one.distance - other.distance);
  const [best] = ranked;
  return best && best.distance < wanted.length && best.distance <= Math.max(2, wanted.length / 3)
    ? best.candidate
    : undefined;
}

function normal(name: string): string {
  return name.toLowerCase().replaceAll("_", "");
}

/** Letters to change, add or take away (Levenshtein), row by row. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (const [column, other] of [...to].entries()) {
      const change = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(change, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
