import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { sampleTranscripts } from "./support/sample-transcripts.ts";

const FOLDER = join(import.meta.dirname, "samples");

it("the committed transcripts are those that the generator makes", () => {
  const made = Object.fromEntries(Object.entries(sampleTranscripts()).map(([name, text]) => [`${name}.jsonl`, text]));
  if (process.env["UPDATE_PINS"] !== undefined) {
    mkdirSync(FOLDER, { recursive: true });
    for (const [name, text] of Object.entries(made)) writeFileSync(join(FOLDER, name), text);
  }
  const names = readdirSync(FOLDER).toSorted();
  expect(Object.fromEntries(names.map((name) => [name, readFileSync(join(FOLDER, name), "utf8")]))).toEqual(made);
});
