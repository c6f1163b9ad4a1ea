import { plainLine } from "../../plain-text.ts";

/** A table in Markdown; a bar inside a cell would begin another, so it is escaped. */
export function markdownTable(heads: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]): string =>
    `| ${cells.map((cell) => plainLine(String(cell)).replaceAll("|", "\\|")).join(" | ")} |\n`;
  return [heads, heads.map(() => "---"), ...rows].map(line).join("");
}
