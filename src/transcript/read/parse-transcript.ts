import { splitJsonl } from "../../core/internal.ts";
import type { TranscriptProblem } from "../problem.ts";
import { isObject } from "../records/content.ts";
import { parseRecord, type TranscriptRecord } from "../records/transcript-record.ts";
import { settledStretches } from "../scan/recover-records.ts";
import { LONGEST_LINE_BYTES, readLines, skipMark, type FileLine } from "./read-lines.ts";

/**
 * Reads a transcript as a stream: a path, or chunks of bytes, which `path` names in problems. A bad line gives a problem and the
 * rest is read. The last line may be half a record that is still being written: then it gives nothing, and is no problem.
 */
export async function* parseTranscript(
  source: string | AsyncIterable<Uint8Array>,
  options: { readonly path?: string } = {},
): AsyncGenerator<TranscriptEntry> {
  if (typeof source === "string") {
    let line = 0;
    for (const found of readLines(source)) yield* entriesOf(found, options.path ?? source, (line += 1));
    return;
  }
  for await (const { bytes, number, offset, terminated } of splitJsonl(source)) {
    yield* parseLine(bytes, { path: options.path ?? "", line: number, offset }, { isEnded: terminated });
  }
}

/** What a line of a file holds. Where it has no end yet, only what is settled. */
export function entriesOf(found: FileLine, path: string, line: number): readonly TranscriptEntry[] {
  const { bytes, start, end, offset, lengthBytes, isEnded, isTooLong } = found;
  if (isTooLong) return isEnded ? [tooLong({ path, line, offset, lengthBytes })] : [];
  return parseLine(bytes.subarray(start, end), { path, line, offset }, { isEnded });
}

/** Where in its file a record stands. */
export interface RecordPlace {
  readonly path: string;
  readonly line: number;
  readonly offset: number;
  readonly lengthBytes: number;
}

/** What reading gives, one after the other: records, and what could not be read between them. */
export type TranscriptEntry =
  | { readonly type: "record"; readonly record: TranscriptRecord; readonly place: RecordPlace }
  | { readonly type: "problem"; readonly problem: TranscriptProblem };

/** Reads a line: one record, or several glued together. What comes after the records of one that has no end yet may go on. */
export function parseLine(
  bytes: Buffer,
  place: Omit<RecordPlace, "lengthBytes">,
  { isEnded = true }: { readonly isEnded?: boolean } = {},
): readonly TranscriptEntry[] {
  const start = skipMark(bytes, 0, place.offset);
  const whole = { ...place, lengthBytes: bytes.length };
  if (bytes.length > LONGEST_LINE_BYTES) return isEnded ? [tooLong(whole)] : [];
  const text = bytes.toString("utf8", start);
  if (text.trim() === "") return [];
  try {
    const value: unknown = JSON.parse(text);
    return isEnded || isObject(value) ? toEntries(value, whole) : [];
  } catch (error) {
    return settledStretches(bytes, start, bytes.length, isEnded).flatMap(({ start: from, end, value, isBroken }) => {
      const part = { ...place, offset: place.offset + from, lengthBytes: end - from };
      return isBroken ? [toProblem("broken", part, (error as Error).message)] : toEntries(value, part);
    });
  }
}

export function tooLong(place: RecordPlace) {
  return toProblem("too-long", place, `The line has ${place.lengthBytes} bytes: too long to be a record`);
}

function toEntries(value: unknown, place: RecordPlace): readonly TranscriptEntry[] {
  if (!isObject(value)) return [toProblem("not-an-object", place, "The line is JSON, but not an object")];
  const { record, mismatch } = parseRecord(value);
  const entry: TranscriptEntry = { type: "record", record, place };
  return mismatch === undefined ? [entry] : [toProblem("shape", place, mismatch), entry];
}

function toProblem(kind: TranscriptProblem["kind"], place: RecordPlace, message: string) {
  return { type: "problem" as const, problem: { kind, ...place, message } };
}
