import { readBlocks, type LineBlock, type ReadOptions } from "./read-blocks.ts";

const LINE_FEED = 0x0a;

/** A line of a file: bytes in memory that is used again, valid until the next line is asked for. */
export interface FileLine {
  readonly bytes: Buffer;
  /** Where in `bytes` the line begins and ends, without its line feed. */
  readonly start: number;
  readonly end: number;
  /** The line's first byte in the file. */
  readonly offset: number;
  readonly lengthBytes: number;
  /** False for a last line without a line feed: a whole record, or half of one that is being written. */
  readonly isEnded: boolean;
  /** Whether it is too long to be held: then `bytes` has nothing of it. */
  readonly isTooLong: boolean;
}

/** Reads a file line by line, the last one also where no line feed ends it. */
export function* readLines(path: string, options: ReadOptions = {}): Generator<FileLine, void> {
  for (const block of readBlocks(path, options)) yield* linesIn(block);
}

/** The lines of a block. */
export function* linesIn({ bytes, end, offset, rest, tooLong }: LineBlock): Generator<FileLine, void> {
  if (tooLong !== undefined) yield { bytes, start: 0, end: 0, offset, ...tooLong, isTooLong: true };
  for (let start = 0; start < end;) {
    const lineEnd = bytes.indexOf(LINE_FEED, start);
    const lengthBytes = lineEnd - start;
    yield { bytes, start, end: lineEnd, offset: offset + start, lengthBytes, isEnded: true, isTooLong: false };
    start = lineEnd + 1;
  }
  const lengthBytes = rest.length;
  const place = { start: 0, end: lengthBytes, offset: offset + end, lengthBytes };
  if (lengthBytes > 0) yield { bytes: rest, ...place, isEnded: false, isTooLong: false };
}
