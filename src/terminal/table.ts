import { plainOutput } from "./plain-text.ts";
import type { Terminal } from "./terminal.ts";
import { breakText, fitLine, padLine, widthOf } from "./width.ts";

export interface Column {
  /** The header; empty for marks and drawings. */
  readonly name: string;
  /** Numbers stand to the right, so that they can be compared. */
  readonly align?: "left" | "right";
  /** What becomes of it where there is no room: cut with …, wrapped at words, or left out. It stays whole if nothing is said. */
  readonly narrow?: "cut" | "wrap" | "drop";
  /** It is cut or wrapped to so many columns at least; before that, columns that can be dropped are. */
  readonly leastColumns?: number;
}

export interface Table {
  readonly columns: readonly Column[];
  /** Cells may be coloured; an empty one is a figure that there is not. */
  readonly rows: readonly (readonly string[])[];
  /** The sums below the columns. */
  readonly total?: readonly string[] | undefined;
}

const INDENT = "  ";
const GAP = "  ";
const LEAST_COLUMNS = 12;
const NARROWEST = 4;

/** A table with headers, in the columns of the terminal; columns in which nothing stands are left out. */
export function formatTable(table: Table, terminal: Terminal): string {
  const { rows, total } = clean(table, terminal);
  const all = total ? [...rows, total] : rows;
  const used = table.columns
    .map((column, index) => ({ column, index }))
    .filter(({ index }) => all.some((row) => (row[index] ?? "") !== ""));
  const laid = layOut(
    used.map(({ column, index }) => ({
      ...column,
      index,
      width: Math.max(widthOf(column.name), ...all.map((row) => widthOf(row[index] ?? ""))),
    })),
    terminal.columns - INDENT.length,
  );
  const { bold, dim } = terminal.colors;
  const header = laid.map(({ name, width, align }) => padLine(name, width, align));
  const hasHeader = laid.some(({ name }) => name !== "");
  const rule = laid.map(({ index, width }) => (total?.[index] ? "─" : " ").repeat(width));
  const sums = total ? [dim(line(rule)), ...rowLines(total, laid, bold)] : [];
  const lines = [
    ...(hasHeader ? [dim(line(header))] : []),
    ...rows.flatMap((row) => rowLines(row, laid, (text) => text)),
    ...sums,
  ];
  return lines.map((text) => `${INDENT}${text}\n`).join("");
}

interface LaidColumn extends Column {
  /** Its place in the rows. */
  readonly index: number;
  readonly width: number;
}

/** Gives each column its width: what can be cut gives way first, then what can be dropped goes. */
function layOut(columns: readonly LaidColumn[], room: number): readonly LaidColumn[] {
  const least = columns.map((column) => ({ ...column, width: leastOf(column, column.leastColumns ?? LEAST_COLUMNS) }));
  const dropped = columns.findLast(({ narrow }) => narrow === "drop");
  if (dropped && widthOfAll(least) > room)
    return layOut(
      columns.filter((column) => column !== dropped),
      room,
    );
  const isTight = widthOfAll(least) > room;
  const narrowed = columns.map((column) => ({ ...column }));
  for (let over = widthOfAll(columns) - room; over > 0; over -= 1) {
    const widest = narrowed
      .filter((column) => column.width > leastOf(column, isTight ? NARROWEST : (column.leastColumns ?? LEAST_COLUMNS)))
      .toSorted((one, other) => other.width - one.width)[0];
    if (!widest) break;
    widest.width -= 1;
  }
  return narrowed;
}

function leastOf({ narrow, name, width }: LaidColumn, least: number): number {
  return narrow === "cut" || narrow === "wrap" ? Math.min(width, Math.max(least, widthOf(name))) : width;
}

function widthOfAll(columns: readonly { readonly width: number }[]): number {
  return columns.reduce((sum, { width }) => sum + width, 0) + GAP.length * (columns.length - 1);
}

function rowLines(
  row: readonly string[],
  columns: readonly LaidColumn[],
  paint: (text: string) => string,
): readonly string[] {
  const cells = columns.map(({ index, narrow, width }) => {
    const cell = row[index] ?? "";
    return narrow === "wrap" ? breakText(cell, width) : [narrow === "cut" ? fitLine(cell, width) : cell];
  });
  const height = Math.max(1, ...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, at) =>
    paint(line(columns.map(({ width, align }, column) => padLine(cells[column]?.[at] ?? "", width, align)))),
  );
}

function line(cells: readonly string[]): string {
  return cells.join(GAP).trimEnd();
}

/** A cell is one line, and steers nothing. */
function clean({ rows, total }: Table, { isLive }: Terminal): Pick<Table, "rows" | "total"> {
  const cell = (text: string): string => plainOutput(text, { isLive, isUnicode: true }).replaceAll(/[\n\t]+/gu, " ");
  return { rows: rows.map((row) => row.map(cell)), total: total?.map(cell) };
}
