import { segmentText } from "./segment-text.ts";

/** How the text that is searched was written. */
export interface QueryOptions {
  /** Whether by `segmentText`: then a word of Chinese, Japanese or Korean is a phrase of its letters. */
  readonly isSegmented?: boolean;
}

/**
 * Turns what a person typed into an FTS5 query that is never a syntax error: every word must occur, `"quoted words"` must
 * follow each other, and `word*` stands for every word that begins so. Undefined where there is no word to look for.
 */
export function fullTextQuery(text: string, { isSegmented = false }: QueryOptions = {}): string | undefined {
  const terms = [...text.replaceAll("\0", " ").matchAll(TERM)].map(([, phrase, word, star]) => {
    const typed = phrase ?? word ?? "";
    const words = isSegmented ? segmentText(typed).trim() : typed;
    return HAS_TOKEN.test(words) ? `"${words}"${star ? "*" : ""}` : undefined;
  });
  const found = [...new Set(terms.filter((term) => term !== undefined))];
  return found.length === 0 ? undefined : found.slice(0, MOST_TERMS).join(" AND ");
}

/** A quoted phrase, whose closing quote may be missing, or a run of what is neither space nor quote; then perhaps a star. */
const TERM = /(?:"([^"]*)(?:"|$)|([^\s"*]+))(\*)?/gu;

/** What the tokenizer `unicode61` makes a word of; a term without any would match nothing. */
const HAS_TOKEN = /[\p{L}\p{N}\p{Co}]/u;

/** More words than anyone types. The time that FTS5 takes grows with their square. */
const MOST_TERMS = 1000;
