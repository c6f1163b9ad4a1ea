import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sampleTranscripts } from "./sample-transcripts.ts";

/** A transcript by its name. */
export interface TranscriptSample {
  readonly name: string;
  readonly bytes: Buffer;
}

const SHARED = process.env["SHARED_TRANSCRIPTS"] ?? join(import.meta.dirname, "../../../shared/transcripts");

/** The generated transcripts, and real ones where they lie beside the project. */
export function allSamples(): readonly TranscriptSample[] {
  const made = Object.entries(sampleTranscripts()).map(([name, text]) => ({ name, bytes: Buffer.from(text) }));
  return [...made, ...realSamples()];
}

function realSamples(): readonly TranscriptSample[] {
  const names = existsSync(SHARED) ? readdirSync(SHARED).filter((name) => name.endsWith(".jsonl")) : [];
  return names.map((name) => ({ name, bytes: readFileSync(join(SHARED, name)) }));
}
