import { stripVTControlCharacters } from "node:util";
import { asciiSigns } from "./ascii-signs.ts";
import type { Terminal } from "./terminal.ts";

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

/**
 * The last guard before a terminal: of whatever is printed, only our own sequences are left, and none where there is no terminal.
 * Our signs are ASCII on a terminal that shows nothing else; a pipe gets UTF-8, as programs expect.
 */
export function plainOutput(text: string, { isLive, isUnicode }: Pick<Terminal, "isLive" | "isUnicode">): string {
  if (!isLive) return plainText(text);
  const shown = isUnicode ? text : asciiSigns(text);
  return shown
    .split(OWN)
    .map((part, index) => (index % 2 === 1 ? part : plainText(part)))
    .join("");
}
