import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { median } from "./statistics.ts";

const run = promisify(execFile);
const SKEIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const ROUNDS = 15;

/** What is started, by name. */
const STARTS: Readonly<Record<string, readonly string[]>> = {
  "node -e 0": ["-e", "0"],
  "skein --help": [SKEIN, "--help"],
  "skein schema log": [SKEIN, "schema", "log"],
};

/** Measures how long commands take to start beside Node alone, in turns, so that all meet the same machine. */
export async function benchStartup(): Promise<readonly string[]> {
  const times = new Map(Object.keys(STARTS).map((name) => [name, [] as number[]]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, args] of Object.entries(STARTS)) {
      const startedMs = performance.now();
      await run(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 });
      times.get(name)?.push(performance.now() - startedMs);
    }
  }
  const node = median(times.get("node -e 0") ?? []);
  return [...times].map(([name, all]) => {
    const ms = median(all);
    return `start, ${name}: ${ms.toFixed(0)} ms, ${(ms / node).toFixed(1)} times node, ${(ms - 1.5 * node).toFixed(0)} ms above 1.5 times node`;
  });
}
