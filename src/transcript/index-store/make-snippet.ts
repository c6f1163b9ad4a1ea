import { WORD } from "../../database/index.ts";
import type { Snippet } from "./transcript-index.ts";

/** A word or a phrase that is looked for, in the form in which words are compared. */
export interface SearchTerm {
  readonly words: readonly string[];
  readonly isPrefix: boolean;
}

/** A text longer than this is looked through no further, nor is one for so long after the first hit. */
const MOST_CHARACTERS = 400_000;
const MOST_AFTER_FIRST = 10_000;
const BEFORE = 60;
const LENGTH = 240;

export function termsOf(query: string): readonly SearchTerm[] {
  return [...query.matchAll(/"([^"]*)"(\*)?/gu)].map(([, words = "", star]) => ({
    words: [...words.matchAll(WORD)].map(([word]) => fold(word)),
    isPrefix: star !== undefined,
  }));
}

export function findRanges(text: string, terms: readonly SearchTerm[]): readonly (readonly [number, number])[] {
  const found: (readonly [number, number])[] = [];
  const longest = Math.max(0, ...terms.map(({ words }) => words.length));
  const last: { word: string; start: number }[] = [];
  for (const match of text.slice(0, MOST_CHARACTERS).matchAll(WORD)) {
    if (match.index > (found[0]?.[0] ?? MOST_CHARACTERS) + MOST_AFTER_FIRST) break;
    last.push({ word: fold(match[0]), start: match.index });
    if (last.length > longest) last.shift();
    const lengths = terms.filter((term) => endsWith(last, term)).map(({ words }) => words.length);
    const start = last.at(-Math.max(0, ...lengths))?.start;
    if (lengths.length === 0 || start === undefined) continue;
    // A phrase takes the place of those of its words that were found by themselves.
    while ((found.at(-1)?.[0] ?? -1) >= start) found.pop();
    found.push([start, match.index + match[0].length]);
  }
  return found;
}

/** The part of a text that holds most of what was found. */
export function makeSnippet(text: string, ranges: readonly (readonly [number, number])[]): Snippet {
  const first = bestStart(ranges);
  const start = wordStart(text, Math.max(0, first - BEFORE));
  const end = Math.min(text.length, start + LENGTH);
  return {
    text: text.slice(start, end),
    ranges: ranges.filter(([from, to]) => from >= start && to <= end).map(([from, to]) => [from - start, to - start]),
    isCutBefore: start > 0,
    isCutAfter: end < text.length,
  };
}

function endsWith(last: readonly { readonly word: string }[], { words, isPrefix }: SearchTerm): boolean {
  if (words.length === 0 || last.length < words.length) return false;
  return words.every((word, index) => {
    const found = last[last.length - words.length + index]?.word ?? "";
    return isPrefix && index === words.length - 1 ? found.startsWith(word) : found === word;
  });
}

function bestStart(ranges: readonly (readonly [number, number])[]): number {
  let best = { start: ranges[0]?.[0] ?? 0, count: 0 };
  for (let [first, last] = [0, 0]; first < ranges.length; first += 1) {
    const start = ranges[first]?.[0] ?? 0;
    while (last < ranges.length && (ranges[last]?.[1] ?? 0) <= start + LENGTH - BEFORE) last += 1;
    if (last - first > best.count) best = { start, count: last - first };
  }
  return best.start;
}

/** Not within a word, nor within a character of two units. */
function wordStart(text: string, from: number): number {
  if (from === 0) return 0;
  const space = /\s/u.exec(text.slice(from, from + BEFORE / 2));
  return from + (space === null ? 0 : space.index + 1);
}

function fold(word: string): string {
  // Most words have no accents to take off, and taking them off is slow.
  if (ASCII.test(word)) return word.toLowerCase();
  return word.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
}

const ASCII = /^[A-Za-z0-9]*$/u;
