import type { TableBlock } from "./block.ts";

const MOST_COLUMNS = 64;

/** Whether a table begins with these two lines: its head, and the line of dashes below it. */
export function beginsTable(head: string, dashes: string | undefined): boolean {
  if (dashes === undefined || !head.includes("|") || !/^[ \t|:-]+$/u.test(dashes) || !dashes.includes("-"))
    return false;
  const columns = cellsOf(dashes);
  if (columns.length > MOST_COLUMNS || columns.length !== cellsOf(head).length) return false;
  return columns.every((cell) => /^:?-+:?$/u.test(cell));
}

/** Makes a table of its lines. Cells that are too many are left out, and those that are too few are empty. */
export function toTable(head: string, dashes: string, rows: readonly string[]): TableBlock {
  const titles = cellsOf(head);
  return {
    type: "table",
    aligns: cellsOf(dashes).map((cell) => {
      if (cell.endsWith(":")) return cell.startsWith(":") ? "center" : "right";
      return cell.startsWith(":") ? "left" : undefined;
    }),
    head: titles,
    rows: rows.map((row) => {
      const cells = cellsOf(row);
      return titles.map((_, index) => cells[index] ?? "");
    }),
  };
}

/** The cells between the bars; one after a backslash is a bar of the text. */
function cellsOf(line: string): readonly string[] {
  const text = line.trim();
  const cells = [""];
  for (let at = text.startsWith("|") ? 1 : 0; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if (character === "\\" && text[at + 1] === "|") {
      cells[cells.length - 1] += "|";
      at += 1;
    } else if (character === "|") {
      if (at < text.length - 1) cells.push("");
    } else cells[cells.length - 1] += character;
  }
  return cells.map((cell) => cell.trim());
}
