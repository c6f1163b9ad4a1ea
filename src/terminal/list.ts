import type { Terminal } from "./terminal.ts";
import { breakText, widthOf } from "./width.ts";

export interface ListItem {
  /** A sign of its own instead of the dash. */
  readonly mark?: string;
  readonly text: string;
  /** What is told of it below, dimmed. */
  readonly notes?: readonly string[];
}

const LEAST_COLUMNS = 20;

/** Items below each other, wrapped in the terminal, each with its mark. */
export function formatList(items: readonly (string | ListItem)[], { colors, columns }: Terminal): string {
  const lines = items.flatMap((item) => {
    const { mark = colors.dim("-"), text, notes = [] }: ListItem = typeof item === "string" ? { text: item } : item;
    const room = Math.max(columns - 3 - widthOf(mark), LEAST_COLUMNS);
    const margin = " ".repeat(3 + widthOf(mark));
    const [first = "", ...rest] = breakText(text, room);
    const below = notes.flatMap((note) => breakText(note, room)).map((note) => colors.dim(note));
    return [`  ${mark} ${first}`, ...[...rest, ...below].map((line) => `${margin}${line}`)];
  });
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}
