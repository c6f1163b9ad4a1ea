import type { Terminal } from "./terminal.ts";
import { breakText, padLine, widthOf } from "./width.ts";

export type CardRow = readonly [name: string, ...lines: string[]];

const INDENT = "  ";
const LEAST_COLUMNS = 20;

/** A card: names in one column, what belongs to them in the next, wrapped in it; rows without a line are left out. */
export function formatCard(rows: readonly CardRow[], { colors, columns }: Terminal): string {
  const shown = rows.filter(([, ...lines]) => lines.length > 0);
  const width = Math.max(0, ...shown.map(([name]) => widthOf(name))) + 2;
  const room = Math.max(columns - INDENT.length - width, LEAST_COLUMNS);
  const lines = shown.flatMap(([name, ...values]) =>
    values
      .flatMap((value) => breakText(value, room))
      .map((value, index) => `${INDENT}${colors.dim(padLine(index === 0 ? name : "", width))}${value}`),
  );
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}
