import type { BodyLine } from "./described-call.ts";

/** A change of a text, line by line: what is the same before and after it once, the rest taken out and put in. */
export function diffLines(before: string, after: string): readonly BodyLine[] {
  const [old, next] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < Math.min(old.length, next.length) && old[start] === next[start]) start += 1;
  let end = 0;
  while (end < Math.min(old.length, next.length) - start && old.at(-1 - end) === next.at(-1 - end)) end += 1;
  return [
    ...old.slice(0, start).map((text) => ({ text })),
    ...old.slice(start, old.length - end).map((text) => ({ text, change: "removed" as const })),
    ...next.slice(start, next.length - end).map((text) => ({ text, change: "added" as const })),
    ...old.slice(old.length - end).map((text) => ({ text })),
  ];
}
