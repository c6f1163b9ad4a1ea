import { readFile, writeFile } from "node:fs/promises";
import { cellsOf, COLUMNS } from "./cells.ts";
import { machineLines, type Machine } from "./describe-machine.ts";
import type { Taken } from "./run-benches.ts";

const BEGIN = "<!-- bench: begin -->";
const END = "<!-- bench: end -->";
const HEADING = "### ";

/** Writes the tables between the marks of a page; those of benches that were not run stay as they are. */
export async function writePage(
  path: string,
  { machine, taken }: { readonly machine: Machine; readonly taken: readonly Taken[] },
): Promise<void> {
  const page = await readFile(path, "utf8");
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${path} lacks the marks ${BEGIN} and ${END}`);
  const [, ...old] = page.slice(begin, end).split(`\n${HEADING}`);
  const sections = new Map(old.map((text) => [text.slice(0, text.indexOf("\n")), `${HEADING}${text.trimEnd()}`]));
  for (const bench of taken) {
    if (bench.error === null) sections.set(bench.name, section(bench));
  }
  const body = [BEGIN, machineLines(machine).join(".\n") + ".", ...sections.values()];
  await writeFile(path, `${page.slice(0, begin)}${body.join("\n\n")}\n\n${page.slice(end)}`);
}

function section({ name, summary, startedAt, load, seconds, rows }: Taken): string {
  const when = `${startedAt.slice(0, 16).replace("T", " ")} UTC, load ${load.toFixed(1)}, ${seconds.toFixed(0)} s`;
  return [`${HEADING}${name}`, `${summary[0]?.toUpperCase()}${summary.slice(1)} (${when}).`, markdownTable(rows)].join(
    "\n\n",
  );
}

/** Laid out as the formatter does it, so that a written page passes its check. */
function markdownTable(rows: Taken["rows"]): string {
  const cells = rows.map((one) => cellsOf(one).map((cell) => cell.replaceAll("|", "\\|")));
  const widths = COLUMNS.map((name, at) => Math.max(3, name.length, ...cells.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [line(COLUMNS), rule, ...cells.map(line)].join("\n");
}
