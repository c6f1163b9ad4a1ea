/**
 * Text that somebody has to judge, every character of it to be seen: what steers a terminal, turns the text around or takes
 * no room is written out, as `\x1b` or `\u{202e}`. Line ends stay; a tab is four blanks.
 */
export function visibleText(text: string): string {
  return text.replaceAll("\t", "    ").replaceAll(HIDDEN, escapeOf);
}

/** Whether some of a text would not be seen if it were printed. */
export function hasHiddenText(text: string): boolean {
  return text.search(HIDDEN) !== -1;
}

/** Controls, formats (among them all that turns text around), exotic spaces, lone surrogates and characters for private use. */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0\u2800]|(?! )\p{Zs}|\p{M}{4,}/gu;

function escapeOf(characters: string): string {
  return [...characters]
    .map((character) => {
      const code = character.codePointAt(0) ?? 0;
      if (character === "\r") return "\\r";
      return code < 256 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
    })
    .join("");
}
