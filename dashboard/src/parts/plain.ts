import { visibleText } from "./visible-text.ts";

// What others wrote is shown as it is, and harmless: no character of it steers the page or hides what it says.

/** Colours and movements of a terminal: `ESC [ … m`, titles of windows, and a lone escape. */
// oxlint-disable-next-line no-control-regex
const TERMINAL = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[@-Z\\^_]?)/gu;

/** What steers or has no picture. Joiners that many scripts need are left: this is for reading, not for allowing. */
// oxlint-disable-next-line no-control-regex
const HIDDEN = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069\uFEFF]|\p{Cs}/gu;

/** A text to be read, without a terminal's colours, and with what cannot be seen written out. */
export function plainText(text: string): string {
  const lines = text.includes("\r") ? text.replaceAll("\r\n", "\n").replaceAll("\r", "\n") : text;
  return lines.replace(TERMINAL, "").replace(HIDDEN, visibleText);
}

/** The same in one line. */
export function plainLine(text: string, most = 400): string {
  return plainText(text.slice(0, most * 2))
    .replaceAll(/\s+/gu, " ")
    .trim()
    .slice(0, most);
}

/** Where a line is cut on the screen: nobody reads a line of a megabyte, and drawing it stalls the page. */
export const LONGEST_LINE = 2000;

/** A line as long as it is drawn, and how much more there is. */
export function cutLine(line: string, most = LONGEST_LINE): readonly [shown: string, left: number] {
  return line.length <= most ? [line, 0] : [line.slice(0, most).toWellFormed(), line.length - most];
}
