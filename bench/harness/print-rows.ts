import { cellsOf, COLUMNS } from "./cells.ts";
import type { Row } from "./row.ts";

/** The command's own table: the room is not one of the package's subpaths. */
const { describeTerminal, formatTable } = (await import(
  new URL("../../../dist/cli/index.js", import.meta.url).href
)) as TerminalRoom;

interface TerminalRoom {
  describeTerminal(streams: NodeJS.Process): { readonly columns: number };
  formatTable(table: object, terminal: { readonly columns: number }): string;
}

const WIDEST = 100;

/** The rows as a table of at most 100 columns, in a pipe too. */
export function formatRows(rows: readonly Row[]): string {
  const terminal = describeTerminal(process);
  const columns = Math.min(terminal.columns, WIDEST);
  const shape = COLUMNS.map((name) => {
    if (name === "what" || name === "beside") return { name, narrow: "wrap", leastColumns: 24 } as const;
    return name === "met" ? { name } : ({ name, align: "right" } as const);
  });
  return formatTable({ columns: shape, rows: rows.map(cellsOf) }, { ...terminal, columns });
}
