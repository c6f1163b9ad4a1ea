import type { FilesData } from "./files-data.ts";
import { formatNumberOf } from "../format-amounts.ts";
import { plainLine } from "../plain-text.ts";
import type { Terminal } from "../terminal.ts";

/** Paths of each kind that are listed by name. */
const LISTED_PATHS = 12;

/** The changed files for people, a line each; of many of one kind only the first. */
export function fileLines(files: FilesData, terminal: Terminal, listed: number = LISTED_PATHS): string[] {
  const { green, yellow, red, cyan, dim } = terminal.colors;
  const renamed = files.renamed.map(({ from, to }) => `${plainLine(to)}  ${dim(`was ${plainLine(from)}`)}`);
  return [
    ...markedLines(green("+"), files.created.map(plainLine), listed),
    ...markedLines(yellow("~"), files.modified.map(plainLine), listed),
    ...markedLines(red("-"), files.deleted.map(plainLine), listed),
    ...markedLines(cyan("→"), renamed, listed),
  ];
}

/** How many files came, changed and went: `+3 ~1 -2`; nothing where none did. */
export function fileCounts(
  counts: { readonly created: number; readonly modified: number; readonly deleted: number },
  { colors }: Terminal,
): string {
  const parts = [
    ...(counts.created > 0 ? [colors.green(`+${counts.created}`)] : []),
    ...(counts.modified > 0 ? [colors.yellow(`~${counts.modified}`)] : []),
    ...(counts.deleted > 0 ? [colors.red(`-${counts.deleted}`)] : []),
  ];
  return parts.join(" ");
}

function markedLines(mark: string, lines: readonly string[], listed: number): string[] {
  const shown = lines.slice(0, listed).map((line) => `${mark} ${line}`);
  const others = lines.length - shown.length;
  return others > 0 ? [...shown, `${mark} ${formatNumberOf(others, "more file")}`] : shown;
}
