import { createHash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import { unreadable } from "../unreadable.ts";

/** Enough to hold the first record's id, which no two files share. */
const HEAD_BYTES = 4096;
/** Enough to hold parts of an id. */
const EDGE_BYTES = 256;

/** By what a file is known again: its first bytes, and those before the place up to which it was read. */
export interface FileMarks {
  readonly headBytes: number;
  readonly headHash: string;
  readonly edgeHash: string;
}

/** The marks of a file that has been read up to an offset. */
export function readMarks(path: string, offset: number): FileMarks {
  return marksOf(path, offset, Math.min(offset, HEAD_BYTES));
}

/** Whether a file still begins as it did, and still has the same bytes before the offset. */
export function hasMarks(path: string, offset: number, marks: FileMarks): boolean {
  const now = marksOf(path, offset, marks.headBytes);
  return now.headHash === marks.headHash && now.edgeHash === marks.edgeHash;
}

function marksOf(path: string, offset: number, headBytes: number): FileMarks {
  const edgeBytes = Math.min(offset, EDGE_BYTES);
  const [head, edge] = readRanges(path, [
    [0, headBytes],
    [offset - edgeBytes, edgeBytes],
  ]);
  return { headBytes, headHash: hash(head), edgeHash: hash(edge) };
}

/** Bytes of a file; where it is shorter, so are they. */
export function readRange(path: string, start: number, size: number): Buffer {
  return readRanges(path, [[start, size]])[0] as Buffer;
}

function readRanges(path: string, ranges: readonly (readonly [start: number, size: number])[]): readonly Buffer[] {
  try {
    const descriptor = openSync(path, "r");
    try {
      return ranges.map(([start, size]) => readFully(descriptor, start, Buffer.allocUnsafe(size)));
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw unreadable(path, error);
  }
}

function readFully(descriptor: number, start: number, buffer: Buffer): Buffer {
  let filled = 0;
  while (filled < buffer.length) {
    const read = readSync(descriptor, buffer, filled, buffer.length - filled, start + filled);
    if (read === 0) break;
    filled += read;
  }
  return buffer.subarray(0, filled);
}

function hash(bytes: Buffer | undefined): string {
  return createHash("sha256")
    .update(bytes ?? "")
    .digest("base64url")
    .slice(0, 22);
}
