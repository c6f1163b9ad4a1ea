import { closeSync } from "node:fs";
import { openFile, readInto } from "./read-bytes.ts";

export const LINE_FEED = 0x0a;

/** A line of a file: bytes in memory that is used again, valid until the next line is asked for. */
export interface FileLine {
  readonly bytes: Buffer;
  /** Where in `bytes` the line begins and ends, without its line feed. */
  readonly start: number;
  readonly end: number;
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

export function* linesIn({ bytes, end, offset, rest, tooLong }: LineBlock): Generator<FileLine, void> {
  if (tooLong !== undefined) yield { bytes, start: 0, end: 0, offset, ...tooLong, isTooLong: true };
  for (let start = 0; start < end;) {
    const lineEnd = bytes.indexOf(LINE_FEED, start);
    const lengthBytes = lineEnd - start;
    yield { bytes, start, end: lineEnd, offset: offset + start, lengthBytes, isEnded: true, isTooLong: false };
    start = lineEnd + 1;
  }
  const { length } = rest;
  const place = { start: 0, end: length, offset: offset + end, lengthBytes: length };
  if (length > 0) yield { bytes: rest, ...place, isEnded: false, isTooLong: false };
}

/** Whole lines of a file, as bytes in memory that is used again for the next block. */
export interface LineBlock {
  readonly bytes: Buffer;
  /** Up to here the block holds lines that end; after the last block, what is left may be half a line. */
  readonly end: number;
  readonly offset: number;
  /** The bytes after `end` that no line feed has ended yet: only of the last block are there any. */
  readonly rest: Buffer;
  /** A line at `offset` that is too long to be held: it was passed over, and the block has nothing else. */
  readonly tooLong?: Pick<FileLine, "lengthBytes" | "isEnded">;
}

export interface ReadOptions {
  /** The byte to begin at: the start of a line. */
  readonly fromOffset?: number;
  /** Bytes read at a time; a longer line makes the block grow. */
  readonly blockBytes?: number;
  /** A line longer than this is passed over as damage; 64 MB unless said. */
  readonly longestLineBytes?: number;
}

/** Enough that a read is cheap beside what is done with it, and small enough to stay in the processor's cache. */
const BLOCK_BYTES = 1024 * 1024;
/** The longest lines that were seen are some megabytes; to parse one takes several times its size in memory. */
export const LONGEST_LINE_BYTES = 64 * 1024 * 1024;

/** Memory that is used again for each block; a line that it has no room for makes it grow, with what it holds. */
export interface ReadMemory {
  buffer: Buffer;
  grow(): void;
}

export function createMemory(bytes = BLOCK_BYTES): ReadMemory {
  return {
    buffer: Buffer.allocUnsafe(bytes),
    grow() {
      const larger = Buffer.allocUnsafe(this.buffer.length * 2);
      this.buffer.copy(larger);
      this.buffer = larger;
    },
  };
}

/**
 * Reads a file in blocks of whole lines. It reads synchronously: with the page cache warm that is twice as fast as going
 * through the thread pool, and a block takes about a millisecond. Who reads many yields between them. `shared` serves
 * the blocks of many files.
 */
export function* readBlocks(
  path: string,
  options: ReadOptions = {},
  shared: ReadMemory = createMemory(options.blockBytes),
): Generator<LineBlock> {
  const { fromOffset = 0, longestLineBytes = LONGEST_LINE_BYTES } = options;
  const descriptor = openFile(path);
  let [offset, held] = [fromOffset, 0];
  try {
    for (;;) {
      if (held > longestLineBytes) {
        const tooLong = passOver(descriptor, path, shared.buffer, offset, held);
        yield { bytes: NOTHING, end: 0, offset, rest: NOTHING, tooLong };
        if (!tooLong.isEnded) return;
        [offset, held] = [offset + tooLong.lengthBytes + 1, 0];
      }
      if (held === shared.buffer.length) shared.grow();
      const read = readInto(descriptor, path, shared.buffer, held, offset + held);
      const filled = held + read;
      const bytes = shared.buffer;
      if (read === 0) {
        if (held > 0) yield { bytes, end: 0, offset, rest: bytes.subarray(0, held) };
        return;
      }
      const last = bytes.subarray(held, filled).lastIndexOf(LINE_FEED);
      const end = last === -1 ? 0 : held + last + 1;
      if (end > 0) yield { bytes, end, offset, rest: bytes.subarray(0, 0) };
      // A slice of a shared memory must not be given out after this: what is left over moves to its front.
      shared.buffer.copyWithin(0, end, filled);
      held = filled - end;
      offset += end;
    }
  } finally {
    closeSync(descriptor);
  }
}

const NOTHING: Buffer = Buffer.alloc(0);

/** Reads to the end of a line of which the first bytes are held, and keeps none of it. */
function passOver(descriptor: number, path: string, buffer: Buffer, offset: number, held: number) {
  for (let passed = held; ;) {
    const read = readInto(descriptor, path, buffer, 0, offset + passed);
    const feed = buffer.subarray(0, read).indexOf(LINE_FEED);
    if (read === 0 || feed !== -1) return { lengthBytes: passed + Math.max(0, feed), isEnded: read > 0 };
    passed += read;
  }
}

/** The place after the byte order mark that some editors put before the first line of a file. */
export function skipMark(bytes: Buffer, start: number, offset: number): number {
  return offset === 0 && bytes.subarray(start, start + 3).equals(BYTE_ORDER_MARK) ? start + 3 : start;
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** The number of the line that begins at an offset: counted afresh, for the few lines that are reported. */
export function lineNumberAt(path: string, offset: number): number {
  try {
    let number = 1;
    for (const line of readLines(path)) {
      if (line.offset >= offset) break;
      number += 1;
    }
    return number;
  } catch {
    // The file was deleted meanwhile. The offset still says where the line was.
    return 0;
  }
}
