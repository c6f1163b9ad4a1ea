import type { SecretPattern } from "../../core/index.ts";
import { partialPattern } from "./partial-pattern.ts";

/** A pattern made ready for finding its secrets in a text, and the beginning of one at the text's end. */
export interface SecretFinder {
  readonly name: string;
  readonly whole: RegExp;
  readonly partial: RegExp;
}

/** A secret in a text; where several overlap, all of them, under the name of the first. */
export interface FoundSecret {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Makes a pattern ready. */
export function toSecretFinder({ name, pattern }: SecretPattern): SecretFinder {
  const flags = `${pattern.flags.replaceAll(/[gy]/g, "")}g`;
  return { name, whole: new RegExp(pattern.source, flags), partial: partialPattern(pattern) };
}

/** The secrets in a text from an offset on, in order, none overlapping another. */
export function findSecrets(text: string, finders: readonly SecretFinder[], from = 0): readonly FoundSecret[] {
  const found = finders
    .flatMap(({ name, whole }) => matchesFrom(text, whole, from).map(([start, end]) => ({ name, start, end })))
    .toSorted((left, right) => left.start - right.start || right.end - left.end);
  const merged: FoundSecret[] = [];
  for (const secret of found) {
    const last = merged.at(-1);
    if (!last || secret.start >= last.end) merged.push(secret);
    else merged[merged.length - 1] = { ...last, end: Math.max(last.end, secret.end) };
  }
  return merged;
}

/** Where the first secret begins that the end of the text may have cut; the text's length where there is none. */
export function findCut(text: string, finders: readonly SecretFinder[], from = 0): number {
  return Math.min(
    ...finders.map(({ partial }) => {
      partial.lastIndex = from;
      return partial.exec(text)?.index ?? text.length;
    }),
    text.length,
  );
}

/** The text between two offsets, with a mark in the place of each secret. */
export function replaceSecrets(
  text: string,
  secrets: readonly FoundSecret[],
  [from, to]: readonly [from: number, to: number] = [0, text.length],
): string {
  let [replaced, position] = ["", from];
  for (const { name, start, end } of secrets) {
    if (end > to) break;
    replaced += `${text.slice(position, start)}[redacted ${name}]`;
    position = end;
  }
  return replaced + text.slice(position, to);
}

function matchesFrom(text: string, pattern: RegExp, from: number): readonly (readonly [number, number])[] {
  pattern.lastIndex = from;
  return [...text.matchAll(pattern)]
    .filter(([match]) => match.length > 0)
    .map(({ index, 0: match }) => [index, index + match.length]);
}
