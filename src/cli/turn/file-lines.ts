import type { FilesData } from "../../protocol/index.ts";
import { formatNumberOf, plainLine, type Terminal } from "../../terminal/index.ts";

/** Paths of each kind that are listed by name. */
const LISTED_PATHS = 12;

/** The changed files for people, a line each; of many of one kind only the first. */
export function fileLines(files: FilesData, { colors }: Terminal): string[] {
  const { green, yellow, red, cyan, dim } = colors;
  const renamed = files.renamed.map(({ from, to }) => `${plainLine(to)}  ${dim(`was ${plainLine(from)}`)}`);
  return [
    ...markedLines(green("+"), files.created.map(plainLine)),
    ...markedLines(yellow("~"), files.modified.map(plainLine)),
    ...markedLines(red("-"), files.deleted.map(plainLine)),
    ...markedLines(cyan("→"), renamed),
  ];
}

function markedLines(mark: string, lines: readonly string[]): string[] {
  return listed(lines, LISTED_PATHS, "more file").map((line) => `${mark} ${line}`);
}

/** The first lines, and how many more there are. */
export function listed(lines: readonly string[], most: number, noun: string): string[] {
  const others = lines.length - most;
  return others > 0 ? [...lines.slice(0, most), formatNumberOf(others, noun)] : [...lines];
}

/** The same, or that there are none. */
export function changeLines(files: FilesData, terminal: Terminal): string[] {
  const lines = fileLines(files, terminal);
  return lines.length === 0 ? ["unchanged"] : lines;
}

/** How many files came, changed and went: `+3 ~1 -2`; nothing where none did. */
export function fileCounts(
  { created, modified, deleted }: { readonly created: number; readonly modified: number; readonly deleted: number },
  { colors }: Terminal,
): string {
  const parts = [
    created > 0 && colors.green(`+${created}`),
    modified > 0 && colors.yellow(`~${modified}`),
    deleted > 0 && colors.red(`-${deleted}`),
  ];
  return parts.filter(Boolean).join(" ");
}
