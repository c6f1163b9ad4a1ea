import type { Terminal } from "./terminal.ts";

export type DetailRow = readonly [name: string, ...lines: string[]];

/** Names in one column, what belongs to them in the next; rows without a line are left out. */
export function detailRows(rows: readonly DetailRow[], { colors }: Terminal): string {
  const shown = rows.filter(([, ...lines]) => lines.length > 0);
  const width = Math.max(...shown.map(([name]) => name.length)) + 2;
  const lines = shown.flatMap(([name, ...values]) =>
    values.map((value, index) => `  ${colors.dim((index === 0 ? name : "").padEnd(width))}${value}`),
  );
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}
