import type * as TerminalRoom from "../../dist/terminal/index.js";
import { cellsOf, COLUMNS } from "./cells.ts";
import type { Row } from "./row.ts";

/** The command's own table: the room is not one of the package's subpaths. */
const { describeTerminal, formatTable } = (await import(
  new URL("../../../dist/terminal/index.js", import.meta.url).href
)) as typeof TerminalRoom;

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
