/** What one place of a line shows: a sequence that only colours, or a character with all that is combined with it. */
interface Piece {
  readonly text: string;
  readonly columns: number;
}

// oxlint-disable-next-line no-control-regex
const SEQUENCE = /(\u001b\[[\d;?]*[A-Za-z])/u;
/**
 * One column for each: ASCII, Latin, punctuation, arrows, and what frames and marks are drawn with. Only for other lines are the languages' rules
 * of characters loaded, which takes some milliseconds of each command's start.
 */
const PLAIN = /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u21ff\u2500-\u25fc\u2713-\u2718]*$/u;
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u;
const WIDE =
  /\p{Emoji_Presentation}|\p{Emoji}\ufe0f|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;

/** How many columns a line takes: none for its colours, two for an ideograph or an emoji. */
export function widthOf(line: string): number {
  return PLAIN.test(line) ? line.length : piecesOf(line).reduce((width, { columns }) => width + columns, 0);
}

/** Cuts a line to what fits into so many columns; colours that it opened are still closed. */
export function fitLine(line: string, columns: number): string {
  if (widthOf(line) <= columns) return line;
  if (columns < 1) return "";
  let width = 0;
  let isCut = false;
  let fitting = "";
  for (const piece of piecesOf(line)) {
    if (piece.columns === 0 && (!isCut || piece.text.startsWith("\u001b"))) fitting += piece.text;
    if (piece.columns === 0 || isCut) continue;
    isCut = width + piece.columns > columns - 1;
    fitting += isCut ? "…" : piece.text;
    width += piece.columns;
  }
  return fitting;
}

/** Fills a line up with spaces, at its end or before it. */
export function padLine(line: string, columns: number, align: "left" | "right" = "left"): string {
  const space = " ".repeat(Math.max(0, columns - widthOf(line)));
  return align === "right" ? `${space}${line}` : `${line}${space}`;
}

/** Breaks lines that are too long between words, and gives all lines; a word that is longer than a line stays whole. */
export function wrapText(text: string, columns: number): readonly string[] {
  return text.split("\n").flatMap((line) => (widthOf(line) <= columns ? [line] : wrapLine(line, columns)));
}

/** The same where nothing may be longer than the columns: a long word is broken, after a slash if it has one. */
export function breakText(text: string, columns: number): readonly string[] {
  return wrapText(text, columns).flatMap((line) => (widthOf(line) <= columns ? [line] : breakWord(line, columns)));
}

function wrapLine(line: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let current = "";
  for (const word of line.split(/(?<=\s)(?=\S)/u)) {
    if (current !== "" && widthOf((current + word).trimEnd()) > columns) {
      lines.push(current.trimEnd());
      current = word;
    } else {
      current += word;
    }
  }
  return [...lines, current.trimEnd()];
}

function breakWord(word: string, columns: number): readonly string[] {
  const room = Math.max(columns, 2);
  const lines: string[] = [];
  let current = "";
  for (const { text } of piecesOf(word)) {
    if (widthOf(current + text) > room) {
      const slash = current.lastIndexOf("/") + 1;
      const end = slash > current.length / 2 ? slash : current.length;
      lines.push(current.slice(0, end));
      current = current.slice(end);
    }
    current += text;
  }
  return [...lines, current];
}

function piecesOf(line: string): readonly Piece[] {
  return line.split(SEQUENCE).flatMap((part, index): readonly Piece[] => {
    if (index % 2 === 1) return [{ text: part, columns: 0 }];
    if (PLAIN.test(part)) return Array.from(part, (text) => ({ text, columns: 1 }));
    segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
    return Array.from(segmenter.segment(part), ({ segment: text }) => ({ text, columns: columnsOf(text) }));
  });
}

let segmenter: Intl.Segmenter | undefined;

function columnsOf(character: string): number {
  if (NO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
