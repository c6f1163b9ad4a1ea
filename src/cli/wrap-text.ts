import { widthOf } from "./plain-text.ts";

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
