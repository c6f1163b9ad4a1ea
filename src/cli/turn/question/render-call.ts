import { widthOf, wrapText, type Terminal, type BodyLine } from "../../../terminal/index.ts";
import type { DescribedCall, Fact } from "./describe-call.ts";

/** What is asked for: who wants what and why, and below it the particulars. */
export function renderHead(
  { tool, reasons, call }: { readonly tool: string; readonly reasons: readonly Fact[]; readonly call: DescribedCall },
  { colors, columns }: Terminal,
): readonly string[] {
  const facts = [...call.facts, ...reasons].map(({ name, value }) => ({ name: visibleText(name), value }));
  const width = Math.max(...facts.map(({ name }) => widthOf(name)), 0);
  const title = visibleText(`${tool} wants to ${call.action}`);
  const warnings = call.warnings.flatMap((warning) => wrapText(`▲ ${warning}`, columns - 2));
  return [
    ...wrapHard(title, columns - 2).map((line) => `  ${colors.bold(line)}`),
    ...warnings.map((line) => `  ${colors.bold(colors.yellow(line))}`),
    ...facts.flatMap(({ name, value }) =>
      visibleText(value)
        .split("\n")
        .flatMap((line) => wrapHard(line, columns - width - 4))
        .map((line, index) => `  ${colors.dim((index === 0 ? name : "").padEnd(width))}  ${line}`),
    ),
  ];
}

/** The body in rows that fit: numbered lines, marked where they are put in or taken out, whole however long they are. */
export function renderBody(body: readonly BodyLine[], { colors, columns }: Terminal): readonly string[] {
  const digits = String(body.length).length;
  return body.flatMap(({ text, change }, index) => {
    const mark = change === undefined ? " " : change === "added" ? "+" : "-";
    const color = change === undefined ? String : change === "added" ? colors.green : colors.red;
    return wrapHard(visibleText(text), columns - digits - 6).map((row, part) => {
      const number = part === 0 ? String(index + 1).padStart(digits) : " ".repeat(digits);
      return `  ${colors.dim(`${number} ${part === 0 ? "│" : "┆"}`)}${color(`${mark}${row}`)}`;
    });
  });
}

/** Breaks a line wherever it is full, so that every character of it is shown; wide characters count as two. */
function wrapHard(line: string, columns: number): readonly string[] {
  const room = Math.max(columns, 10);
  const rows = [""];
  let width = 0;
  for (const character of line) {
    width += widthOf(character);
    if (width > room) {
      rows.push("");
      width = widthOf(character);
    }
    rows[rows.length - 1] += character;
  }
  return rows;
}

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
