import { z } from "zod";
import type { FileChange } from "../../snapshot/index.ts";
import { formatNumberOf } from "../format-amounts.ts";
import { plainLine } from "../plain-text.ts";
import type { Terminal } from "../terminal.ts";

/** What became of files, as the envelope tells it: paths below the workspace; a folder's ends with a slash. */
export const FilesData = z.strictObject({
  created: z.array(z.string()),
  modified: z.array(z.string()),
  deleted: z.array(z.string()),
  renamed: z.array(z.strictObject({ from: z.string(), to: z.string() })),
});

/** What became of files, as the envelope tells it. */
export type FilesData = z.infer<typeof FilesData>;

/** Sorts changes by what they are. */
export function toFilesData(changes: readonly FileChange[]): FilesData {
  const of = (type: FileChange["type"]): string[] => changes.filter((change) => change.type === type).map(shownPath);
  return {
    created: of("created"),
    modified: of("modified"),
    deleted: of("deleted"),
    renamed: changes.flatMap((change) => (change.type === "renamed" ? [{ from: change.from, to: change.path }] : [])),
  };
}

/** Whether a change is about a file or a link: an agent's own empty folders are no work of it. */
export function isAboutFile(change: FileChange): boolean {
  return (change.type === "deleted" ? change.before : change.after).kind !== "directory";
}

/** The path of a change; a folder's ends with a slash. */
export function shownPath(change: FileChange): string {
  return isAboutFile(change) ? change.path : `${change.path}/`;
}

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
