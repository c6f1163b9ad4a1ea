import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Step } from "../../../src/offline/index.ts";
import { temporaryDirectory } from "./skein.ts";

/** Writes a scenario that answers every prompt with these steps, and gives its path. */
export async function scenarioFile(steps: readonly Step[]): Promise<string> {
  const path = join(await temporaryDirectory(), "scenario.json");
  await writeFile(path, JSON.stringify({ name: "test", rules: [{ steps }] }));
  return path;
}

/** A Bash call that goes on until it is ended; the mark is in its command line. */
export function endlessBash(mark: string): Step {
  return { call: { tool: "Bash", input: { command: `node -e 'setInterval(() => {}, 1000)' ${mark}` } } };
}
