import { setImmediate as nextTick } from "node:timers/promises";
import { SkeinError } from "../core/index.ts";
import type { PlacedRecord } from "./model/transcript.ts";
import { parseLine } from "./parse-line.ts";
import type { TranscriptProblem } from "./problem.ts";
import { readBlocks, type LineBlock } from "./scan/read-blocks.ts";

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
    lines.take(block);
    await nextTick();
    if (signal?.aborted) throw new SkeinError("Loading was cancelled", { kind: "cancelled", cause: signal.reason });
  }
  return lines.taken();
}

/** Reads all records of a file that is in memory already. */
export function parseRecords(path: string, bytes: Buffer): LoadedFile {
  const lines = createLineTaker(path);
  const end = bytes.lastIndexOf(0x0a) + 1;
  lines.take({ bytes, end, offset: 0, rest: bytes.subarray(end) });
  return lines.taken();
}

/** Takes a file block by block: whole lines up to `end`, and after the last of them what has no line feed. */
function createLineTaker(path: string): { take(block: LineBlock): void; taken(): LoadedFile } {
  const records: PlacedRecord[] = [];
  const problems: TranscriptProblem[] = [];
  let [line, sizeBytes, endsInHalfALine] = [0, 0, false];
  const takeLine = (bytes: Buffer, offset: number, isWhole: boolean): void => {
    line += 1;
    for (const entry of parseLine(bytes, { path, line, offset })) {
      if (entry.type === "record") records.push(entry);
      else if (isWhole || entry.problem.kind === "shape") problems.push(entry.problem);
      else endsInHalfALine = true;
    }
  };
  return {
    take({ bytes, end, offset, rest }) {
      for (let start = 0; start < end;) {
        const lineEnd = bytes.indexOf(0x0a, start);
        takeLine(bytes.subarray(start, lineEnd), offset + start, true);
        start = lineEnd + 1;
      }
      if (rest.length > 0) takeLine(rest, offset + end, false);
      sizeBytes = offset + end + rest.length;
    },
    taken: () => ({ records, problems, endsInHalfALine, sizeBytes }),
  };
}
