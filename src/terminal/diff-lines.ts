export interface BodyLine {
  readonly text: string;
  readonly change?: "added" | "removed";
}

/** Beyond so many pairs of lines a change is told as a whole: comparing each with each would take too long. */
const MOST_PAIRS = 250_000;

/** A change of a text, line by line: what is the same once, the rest taken out and put in. */
export function diffLines(before: string, after: string): readonly BodyLine[] {
  const [old, next] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < Math.min(old.length, next.length) && old[start] === next[start]) start += 1;
  let end = 0;
  while (end < Math.min(old.length, next.length) - start && old.at(-1 - end) === next.at(-1 - end)) end += 1;
  return [
    ...old.slice(0, start).map((text) => ({ text })),
    ...diffMiddle(old.slice(start, old.length - end), next.slice(start, next.length - end)),
    ...old.slice(old.length - end).map((text) => ({ text })),
  ];
}

/** Keeps the longest row of lines that both have in this order. */
function diffMiddle(old: readonly string[], next: readonly string[]): readonly BodyLine[] {
  if (old.length * next.length > MOST_PAIRS) return [...old.map(toRemoved), ...next.map(toAdded)];
  const common = measureCommon(old, next);
  const width = next.length + 1;
  const lines: BodyLine[] = [];
  let [at, to] = [0, 0];
  while (at < old.length || to < next.length) {
    const [gone, come] = [old[at], next[to]];
    if (gone !== undefined && gone === come) {
      lines.push({ text: gone });
      at += 1;
      to += 1;
    } else if (
      gone !== undefined &&
      (come === undefined || (common[(at + 1) * width + to] ?? 0) >= (common[at * width + to + 1] ?? 0))
    ) {
      lines.push(toRemoved(gone));
      at += 1;
    } else {
      lines.push(toAdded(come ?? ""));
      to += 1;
    }
  }
  return lines;
}

/** For each pair of places, how many lines the two rests have in common. */
function measureCommon(old: readonly string[], next: readonly string[]): Uint32Array {
  const width = next.length + 1;
  const common = new Uint32Array((old.length + 1) * width);
  for (let at = old.length - 1; at >= 0; at -= 1) {
    for (let to = next.length - 1; to >= 0; to -= 1) {
      common[at * width + to] =
        old[at] === next[to]
          ? (common[(at + 1) * width + to + 1] ?? 0) + 1
          : Math.max(common[(at + 1) * width + to] ?? 0, common[at * width + to + 1] ?? 0);
    }
  }
  return common;
}

/** A line that a change takes out. */
export function toRemoved(text: string): BodyLine {
  return { text, change: "removed" };
}

/** A line that a change puts in. */
export function toAdded(text: string): BodyLine {
  return { text, change: "added" };
}
