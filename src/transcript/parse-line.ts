import type { TranscriptProblem } from "./problem.ts";
import { parseRecord, type TranscriptRecord } from "./records/transcript-record.ts";
import { recoverRecords } from "./scan/recover-records.ts";

/** Where in its file a record stands. */
export interface RecordPlace {
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;
  /** Counted from the start of the file. */
  readonly offset: number;
  readonly lengthBytes: number;
}

/** What reading gives, one after the other: records, and what could not be read between them. */
export type TranscriptEntry =
  | { readonly type: "record"; readonly record: TranscriptRecord; readonly place: RecordPlace }
  | { readonly type: "problem"; readonly problem: TranscriptProblem };

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Reads one line, without its line feed: usually one record, sometimes two glued together, rarely none. */
export function parseLine(bytes: Buffer, place: Omit<RecordPlace, "lengthBytes">): readonly TranscriptEntry[] {
  const start = place.offset === 0 && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0;
  const whole = { ...place, lengthBytes: bytes.length };
  const text = bytes.toString("utf8", start);
  if (text.trim() === "") return [];
  try {
    return toEntries(JSON.parse(text), whole);
  } catch (error) {
    return recoverRecords(bytes, start, bytes.length).flatMap(({ start: from, end, value, isBroken }) => {
      const part = { ...place, offset: place.offset + from, lengthBytes: end - from };
      return isBroken ? [toProblem("broken", part, messageOf(error))] : toEntries(value, part);
    });
  }
}

function toEntries(value: unknown, place: RecordPlace): readonly TranscriptEntry[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return [toProblem("not-an-object", place, "The line is JSON, but no object")];
  }
  const { record, mismatch } = parseRecord(value);
  const entry: TranscriptEntry = { type: "record", record, place };
  return mismatch === undefined ? [entry] : [toProblem("shape", place, mismatch), entry];
}

function toProblem(kind: TranscriptProblem["kind"], place: RecordPlace, message: string): TranscriptEntry {
  return { type: "problem", problem: { kind, ...place, message } };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
