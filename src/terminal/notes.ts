import type { Terminal } from "./terminal.ts";
import { wrapText } from "./width.ts";

/** What is said below a table, in the terminal's width. */
export function formatNotes(
  notes: readonly string[],
  { colors, columns }: Pick<Terminal, "colors" | "columns">,
): string {
  const lines = notes.flatMap((note) => wrapText(note, columns - 2));
  return lines.map((line) => `  ${colors.dim(line)}\n`).join("");
}
