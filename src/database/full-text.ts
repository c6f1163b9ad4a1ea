/**
 * Turns what a person typed into an FTS5 query that is never a syntax error: every word must occur, `"quoted words"` must
 * follow each other, and `word*` stands for every word that begins so. Undefined where there is no word to look for. Where the
 * text that is searched was written by `segmentText`, a word of Chinese, Japanese or Korean is a phrase of its letters.
 */
export function fullTextQuery(
  text: string,
  { isSegmented = false }: { readonly isSegmented?: boolean } = {},
): string | undefined {
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

/** Letters of languages that write words without spaces between them, or with endings joined to them. */
const UNSPACED = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u30FC\uFF70]`;
const LETTER = new RegExp(UNSPACED, "gv");
/** Most texts have no letter from there on, and this is found out fast. */
const MAY_HAVE = /[\u1100-\u{10FFFF}]/u;

/** What the tokenizer `unicode61` makes a word of, in a segmented text: letters and digits, or one unspaced letter. */
export const WORD = new RegExp(
  String.raw`${UNSPACED}|[[\p{L}\p{N}\p{Co}]--${UNSPACED}][[\p{L}\p{N}\p{Co}\p{M}]--${UNSPACED}]*`,
  "gv",
);

/** Takes Chinese, Japanese and Korean text apart into letters: a phrase of letters is then found within a longer run too. */
export function segmentText(text: string): string {
  return MAY_HAVE.test(text) ? text.replaceAll(LETTER, " $& ") : text;
}
