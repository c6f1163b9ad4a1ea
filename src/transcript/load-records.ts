import { setImmediate as nextTick } from "node:timers/promises";
import { SkeinError } from "../core/index.ts";
import type { PlacedRecord } from "./model/transcript.ts";
import { parseLine } from "./parse-line.ts";
import type { TranscriptProblem } from "./problem.ts";
import { readBlocks } from "./scan/read-blocks.ts";

/** The records of one file, and what could not be read of it. */
export interface LoadedFile {
  readonly records: readonly PlacedRecord[];
  readonly problems: readonly TranscriptProblem[];
  readonly endsInHalfALine: boolean;
  readonly sizeBytes: number;
}

/** Reads all records of one file. */
export async function loadRecords(path: string, signal?: AbortSignal): Promise<LoadedFile> {
  const records: PlacedRecord[] = [];
  const problems: TranscriptProblem[] = [];
  let [line, sizeBytes, endsInHalfALine] = [0, 0, false];
  const take = (bytes: Buffer, offset: number, isWhole: boolean): void => {
    line += 1;
    for (const entry of parseLine(bytes, { path, line, offset })) {
      if (entry.type === "record") records.push(entry);
      else if (isWhole || entry.problem.kind === "shape") problems.push(entry.problem);
      else endsInHalfALine = true;
    }
  };
  for (const { bytes, end, offset, rest } of readBlocks(path)) {
    for (let start = 0; start < end;) {
      const lineEnd = bytes.indexOf(0x0a, start);
      take(bytes.subarray(start, lineEnd), offset + start, true);
      start = lineEnd + 1;
    }
    if (rest.length > 0) take(rest, offset, false);
    sizeBytes = offset + end + rest.length;
    await nextTick();
    if (signal?.aborted) throw new SkeinError("Loading was cancelled", { kind: "cancelled", cause: signal.reason });
  }
  return { records, problems, endsInHalfALine, sizeBytes };
}
