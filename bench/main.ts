import { parseArgs } from "node:util";
import { BENCHES } from "./benches.ts";
import type { Bench } from "./harness/bench.ts";
import { describeMachine, machineLines } from "./harness/describe-machine.ts";
import { formatRows } from "./harness/print-rows.ts";
import { runBenches, type Taken } from "./harness/run-benches.ts";
import { writePage } from "./harness/write-page.ts";

const HELP = `npm run bench -- [--only NAME,…] [--output-format text|json] [--write PAGE]

Measures Skein beside others in the same run, and prints each figure with its peer, its aim and whether it is met.

  --only NAME,…           some of the benches below
  --output-format json    one JSON object on standard output, when all is measured
  --write PAGE            writes the tables into a Markdown page, between its marks; with --only, those tables alone

${BENCHES.map(({ name, summary }) => `  ${name.padEnd(14)}${summary}`).join("\n")}
`;

await main();

async function main(): Promise<void> {
  const { only, help, write, "output-format": format } = readFlags();
  if (help) return void process.stdout.write(HELP);
  const benches = chosen(only);
  const isJson = format === "json";
  const machine = describeMachine();
  if (!isJson) process.stdout.write(`${machineLines(machine).join("\n")}\n`);
  const taken = await runBenches(benches, {
    tell: (line) => void process.stderr.write(`${line}\n`),
    done: (bench) => {
      if (!isJson) process.stdout.write(textOf(bench));
    },
  });
  if (isJson) process.stdout.write(`${JSON.stringify({ machine, benches: taken }, null, 2)}\n`);
  else process.stdout.write(`\n${totals(taken)}\n`);
  if (write !== undefined) await writePage(write, { machine, taken });
  if (taken.some(({ error }) => error !== null)) process.exitCode = 1;
}

function readFlags() {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: "string" },
        "output-format": { type: "string", default: "text" },
        write: { type: "string" },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    const format = values["output-format"];
    if (format !== "text" && format !== "json") throw new Error(`no such output format: ${format}; text or json`);
    return values;
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

function chosen(only: string | undefined): readonly Bench[] {
  if (only === undefined) return BENCHES;
  const names = only.split(",");
  const known = BENCHES.map(({ name }) => name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) refuse(`no such bench: ${unknown.join(", ")}; there are ${known.join(", ")}`);
  return BENCHES.filter(({ name }) => names.includes(name));
}

function refuse(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

function textOf({ name, summary: about, seconds, rows, error }: Taken): string {
  const end = error === null ? "" : `  failed: ${error}\n`;
  return `\n${name}: ${about} (${seconds.toFixed(0)} s)\n\n${rows.length > 0 ? formatRows(rows) : ""}${end}`;
}

function totals(taken: readonly Taken[]): string {
  const aimed = taken.flatMap(({ rows }) => rows).filter(({ isMet }) => isMet !== null);
  const missed = aimed.filter(({ isMet }) => !isMet).map(({ name }) => name);
  const seconds = taken.reduce((sum, bench) => sum + bench.seconds, 0);
  const rest = missed.length > 0 ? `; not met: ${missed.join(", ")}` : "";
  return `${aimed.length - missed.length} of ${aimed.length} aims met, in ${(seconds / 60).toFixed(1)} minutes${rest}`;
}
