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

/**
 * Takes Chinese, Japanese and Korean text apart into letters, so that the tokenizer makes a word of each: a phrase of letters is
 * then found wherever it stands, within a longer run too. Other text is given back as it is.
 */
export function segmentText(text: string): string {
  return MAY_HAVE.test(text) ? text.replaceAll(LETTER, " $& ") : text;
}
