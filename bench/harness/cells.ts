import type { Aim, Row, Unit } from "./row.ts";

/** The columns of the table of rows, on a terminal and in a document. */
export const COLUMNS = ["what", "ours", "beside", "ratio", "aim", "met"] as const;

/** One row as the texts of its columns. */
export function cellsOf({ what, ours, unit, beside, ratio, aim, isMet, note }: Row): readonly string[] {
  return [
    note === undefined ? what : `${what} (${note})`,
    figure(ours, unit),
    beside === undefined ? "" : `${beside.name} ${figure(beside.value, unit)}`,
    ratio === null ? "" : `${digits(ratio, 2)} ×`,
    aim === undefined ? "" : aimText(aim, unit),
    isMet === null ? "" : isMet ? "yes" : "NO",
  ];
}

function aimText(aim: Aim, unit: Unit): string {
  const limit = "atMost" in aim ? aim.atMost : aim.atLeast;
  const bound = `${"atMost" in aim ? "≤" : "≥"} ${aim.of === "difference" ? "+" : ""}`;
  return `${bound}${aim.of === "ratio" ? `${limit} ×` : figure(limit, unit)}`;
}

function figure(value: number, unit: Unit): string {
  const text = digits(value, unit === "" ? 0 : 1);
  return unit === "" ? text : `${text} ${unit}`;
}

/** Small figures with the digits that tell them apart; large ones without. */
function digits(value: number, places: number): string {
  if (Number.isInteger(value)) return value.toLocaleString("en-US");
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en-US");
  return value.toFixed(Math.abs(value) < 10 ? Math.max(places, 2) : places);
}
