import { statSync, type Stats } from "node:fs";
import { unreadable } from "../problem.ts";
import { readRange } from "../read/read-bytes.ts";
import { LINE_FEED, readLines, type FileLine } from "../read/read-lines.ts";
import { settledEnd } from "../scan/recover-records.ts";

export type RestartReason = "truncated" | "replaced" | "deleted";

export type FileFollower = ReturnType<typeof createFollower>;

interface Position {
  offset: number;
  line: number;
  identity: string | undefined;
  /** Size and time at the last look: where they are as they were, so is the file. */
  stamp: string | undefined;
  /** The bytes before the offset: where they have changed, the file was written anew. */
  before: Buffer;
}

/** Enough to hold parts of an id, which no two records share. */
const REMEMBERED_BYTES = 256;
const BLOCK_BYTES = 64 * 1024;
const NOTHING: Buffer = Buffer.alloc(0);

/** Begins to follow a file, which need not be there yet. */
export function createFollower(path: string) {
  const position: Position = { offset: 0, line: 1, identity: undefined, stamp: undefined, before: NOTHING };
  /** Goes to the end without giving anything; where half a record stands there, to its begin. Lines are counted on. */
  const passOver = (): void => {
    for (const line of readLines(path, { fromOffset: position.offset, blockBytes: BLOCK_BYTES })) {
      position.offset = line.offset + passedBytes(line);
      if (line.isEnded) position.line += 1;
    }
    position.before = readBefore(path, position.offset, Math.min(position.offset, REMEMBERED_BYTES));
  };
  return {
    /** Looks whether there is more, and whether the file began anew. Opens it only where its size or time has changed. */
    look: () => look(path, position),
    /** The lines from the place on that was reached; half a record stays until it is whole. */
    readOn: () => readOn(path, position),
    passOver,
    /** As `passOver`, but only the last line is read: the numbers of lines are then not known. */
    skipToEnd() {
      position.offset = lastLineStart(path, statOf(path)?.size ?? 0);
      passOver();
    },
  };
}

function lastLineStart(path: string, size: number): number {
  for (let end = size, bytes = REMEMBERED_BYTES; end > 0; bytes = Math.min(bytes * 8, BLOCK_BYTES * 16)) {
    const part = readBefore(path, end, Math.min(end, bytes));
    const feed = part.lastIndexOf(LINE_FEED);
    if (feed !== -1) return end - part.length + feed + 1;
    if (part.length === 0) break;
    end -= part.length;
  }
  return 0;
}

function look(path: string, position: Position) {
  const stats = statOf(path);
  const identity = stats && `${stats.dev}:${stats.ino}`;
  const stamp = stats && `${identity}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}`;
  if (stamp === position.stamp) return { hasMore: false, restart: undefined };
  const isNew = position.identity !== undefined && position.identity !== identity;
  const isCut = !isNew && stats !== undefined && (stats.size < position.offset || !isAsBefore(path, position));
  if (isNew || isCut) Object.assign(position, { offset: 0, line: 1, before: NOTHING });
  Object.assign(position, { identity, stamp });
  const reason: RestartReason = isCut ? "truncated" : identity === undefined ? "deleted" : "replaced";
  return { hasMore: (stats?.size ?? 0) > position.offset, restart: isNew || isCut ? reason : undefined };
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw unreadable(path, error);
  }
}

function isAsBefore(path: string, { offset, before }: Position): boolean {
  return before.length === 0 || readBefore(path, offset, before.length).equals(before);
}

function readBefore(path: string, offset: number, size: number): Buffer {
  return readRange(path, offset - size, size);
}

function* readOn(path: string, position: Position) {
  for (const line of readLines(path, { fromOffset: position.offset, blockBytes: BLOCK_BYTES })) {
    const { bytes, start, offset, isEnded, isTooLong } = line;
    const passed = passedBytes(line);
    const remembered = bytes.subarray(Math.max(0, start + passed - REMEMBERED_BYTES), start + passed);
    yield { ...line, number: position.line };
    if (passed === 0) return;
    position.before = isTooLong ? NOTHING : Buffer.from(remembered);
    position.offset = offset + passed;
    if (isEnded) position.line += 1;
  }
}

/** How much of a line is done with: all of it and its line feed, or up to the last whole record. */
function passedBytes({ bytes, start, end, lengthBytes, isEnded, isTooLong }: FileLine): number {
  if (isEnded) return lengthBytes + 1;
  return isTooLong ? 0 : settledEnd(bytes, start, end) - start;
}
