import { setImmediate as nextTick } from "node:timers/promises";
import { SkeinError } from "../core/index.ts";
import type { PlacedRecord } from "./model/transcript.ts";
import { parseLine, tooLong, type TranscriptEntry } from "./parse-line.ts";
import type { TranscriptProblem } from "./problem.ts";
import { readBlocks } from "./scan/read-blocks.ts";
import { linesIn, type FileLine } from "./scan/read-lines.ts";

/** The records of one file, and what could not be read of it. */
export interface LoadedFile {
  readonly records: readonly PlacedRecord[];
  readonly problems: readonly TranscriptProblem[];
  readonly endsInHalfALine: boolean;
  readonly sizeBytes: number;
}

/** Reads all records of one file. */
export async function loadRecords(path: string, signal?: AbortSignal): Promise<LoadedFile> {
  const lines = createLineTaker(path);
  for (const block of readBlocks(path)) {
    for (const line of linesIn(block)) lines.take(line);
    await nextTick();
    if (signal?.aborted) throw new SkeinError("Loading was cancelled", { kind: "cancelled", cause: signal.reason });
  }
  return lines.taken();
}

/** Reads all records of a file that is in memory already. */
export function parseRecords(path: string, bytes: Buffer): LoadedFile {
  const lines = createLineTaker(path);
  const end = bytes.lastIndexOf(0x0a) + 1;
  for (const line of linesIn({ bytes, end, offset: 0, rest: bytes.subarray(end) })) lines.take(line);
  return lines.taken();
}

/** Takes a file line by line. */
function createLineTaker(path: string): { take(line: FileLine): void; taken(): LoadedFile } {
  const records: PlacedRecord[] = [];
  const problems: TranscriptProblem[] = [];
  let [number, sizeBytes, endsInHalfALine] = [0, 0, false];
  return {
    take(line) {
      number += 1;
      const entries = entriesOf(line, path, number);
      for (const entry of entries) {
        if (entry.type === "record") records.push(entry);
        else problems.push(entry.problem);
      }
      sizeBytes = line.offset + line.lengthBytes + (line.isEnded ? 1 : 0);
      if (!line.isEnded) endsInHalfALine = hasHalf(line, entries);
    },
    taken: () => ({ records, problems, endsInHalfALine, sizeBytes }),
  };
}

/** What a line of a file holds. Where it has no end yet, only what is settled. */
export function entriesOf(found: FileLine, path: string, line: number): readonly TranscriptEntry[] {
  const { bytes, start, end, offset, lengthBytes, isEnded, isTooLong } = found;
  if (isTooLong) return isEnded ? [tooLong({ path, line, offset, lengthBytes })] : [];
  return parseLine(bytes.subarray(start, end), { path, line, offset }, { isEnded });
}

/** Whether more than blanks comes after the last record of a line without an end. */
function hasHalf({ bytes, end, offset, isTooLong }: FileLine, entries: readonly TranscriptEntry[]): boolean {
  const last = entries.findLast((entry) => entry.type === "record");
  const from = last?.type === "record" ? last.place.offset + last.place.lengthBytes - offset : 0;
  return isTooLong || bytes.toString("latin1", from, end).trim() !== "";
}
