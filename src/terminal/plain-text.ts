import { stripVTControlCharacters } from "node:util";

// Everything that moves a cursor or reverses the reading direction; line feeds and tabs stay.
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/gu;

/** Text of a model or a tool, made safe to print: it can neither steer the terminal nor disguise itself. */
export function plainText(text: string): string {
  return stripVTControlCharacters(text).replace(CONTROL, "");
}

/** The same for text that comes in pieces, of which one may end inside an escape sequence. */
export function createPlainTextStream(): (piece: string) => string {
  let heldBack = "";
  return (piece) => {
    const whole = heldBack + piece;
    // oxlint-disable-next-line no-control-regex
    const cut = whole.search(/\u001b(?:\[[\d;?]*)?$/u);
    heldBack = cut === -1 ? "" : whole.slice(cut);
    return plainText(cut === -1 ? whole : whole.slice(0, cut));
  };
}

/** The same as one line. */
export function plainLine(text: string): string {
  return plainText(text).replace(/\s+/gu, " ").trim();
}

/** The first line of a prompt, made plain. */
export function promptLine(prompt: string): string {
  return plainLine(prompt.trim().split("\n", 1)[0] ?? "") || "(no text)";
}

/** The same as one line of Markdown that formats nothing and links nowhere. */
export function markdownLine(text: string): string {
  return plainLine(text).replaceAll(/[\\`*_<>[\]#|~]/gu, "\\$&");
}

/** What is said of something in a few parts; those that are empty or false are left out. */
export function dotted(parts: readonly (string | false)[]): string {
  return parts.filter(Boolean).join(" · ");
}

/** What this command itself writes to a terminal: colours, a line taken away, a table drawn anew. */
// oxlint-disable-next-line no-control-regex
const OWN = /(\u001b\[(?:[0-49]|7|2[2-9]|3[0-79]|4[0-79]|9[0-7]|10[0-7])m|\r\u001b\[(?:2K|\d+A\u001b\[0J))/u;

/** The last guard before a terminal: of whatever is printed, only our own sequences are left, and none where there is no terminal. */
export function plainOutput(text: string, isLive: boolean): string {
  if (!isLive) return plainText(text);
  return text
    .split(OWN)
    .map((part, index) => (index % 2 === 1 ? part : plainText(part)))
    .join("");
}

/** Cuts a line to what fits into so many columns; wide characters count as two. */
export function fitLine(line: string, columns: number): string {
  let width = 0;
  let fitting = "";
  for (const character of line) {
    width += columnsOf(character);
    if (width > columns) return `${fitting.slice(0, -1)}…`;
    fitting += character;
  }
  return line;
}

/** How many columns a line takes, its colours not counted. */
export function widthOf(line: string): number {
  return [...stripVTControlCharacters(line)].reduce((width, character) => width + columnsOf(character), 0);
}

const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;

function columnsOf(character: string): number {
  return WIDE.test(character) ? 2 : 1;
}

/** Breaks lines that are too long between words, and gives all lines; a word that is longer than a line stays whole. */
export function wrapText(text: string, columns: number): readonly string[] {
  return text.split("\n").flatMap((line) => (widthOf(line) <= columns ? [line] : wrapLine(line, columns)));
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
