import { closeSync, fstatSync } from "node:fs";
import { buildMessages } from "../model/build-messages.ts";
import type { TranscriptMessage } from "../model/transcript.ts";
import { blocksOf, userKindOf } from "../records/content.ts";
import type { TranscriptRecord } from "../records/transcript-record.ts";
import { parseLine } from "./parse-transcript.ts";
import { openFile, readAt } from "./read-bytes.ts";
import { LINE_FEED, LONGEST_LINE_BYTES, readLines } from "./read-lines.ts";

/** Some messages of a transcript, read without the rest of the file. */
export interface MessagePage {
  readonly messages: readonly TranscriptMessage[];
  readonly records: readonly TranscriptRecord[];
  /** Where the page begins in the file: give it as `before` for the page before. */
  readonly start: number;
  /** Where it ends: give it as `after` for the page after. */
  readonly end: number;
  readonly hasBefore: boolean;
  readonly hasAfter: boolean;
}

const BLOCK_BYTES = 64 * 1024;
const NOTHING: Buffer = Buffer.alloc(0);

type Line = ReturnType<typeof toLine>;

/**
 * The last messages of a file, or the last ones before a place in it. A prompt and an answer count as one message each;
 * results belong to the answer that asked for them. The file is read backwards, no further than the page needs.
 */
export function readLastPage(path: string, count: number, options: { readonly before?: number } = {}): MessagePage {
  const descriptor = openFile(path);
  try {
    const size = fstatSync(descriptor).size;
    const limit = Math.min(options.before ?? size, size);
    const lines: Line[] = [];
    const isFull = createPageLimit(count);
    let start = limit;
    for (const line of linesBackwards(descriptor, path, limit)) {
      if (line.records.some(isFull)) return toPage(lines.toReversed(), start, limit, size);
      lines.push(line);
      start = line.offset;
    }
    return toPage(lines.toReversed(), 0, limit, size);
  } finally {
    closeSync(descriptor);
  }
}

/** The first messages of a file, or the first ones after a place in it. */
export function readFirstPage(path: string, count: number, options: { readonly after?: number } = {}): MessagePage {
  const start = options.after ?? 0;
  const lines: Line[] = [];
  const isFull = createPageLimit(count);
  let end = start;
  for (const found of readLines(path, { fromOffset: start, blockBytes: BLOCK_BYTES })) {
    const line = toLine(found.bytes.subarray(found.start, found.end), path, found.offset, found.isEnded);
    if (line.records.some(isFull)) return toPage(lines, start, end, Number.POSITIVE_INFINITY);
    lines.push(line);
    end = found.isEnded ? found.offset + found.lengthBytes + 1 : line.end;
  }
  return toPage(lines, start, end, end);
}

function createPageLimit(count: number): (record: TranscriptRecord) => boolean {
  const seen = new Set<string>();
  return (record) => {
    const key = keyOf(record);
    if (key !== undefined) seen.add(key);
    return seen.size > count;
  };
}

function keyOf(record: TranscriptRecord): string | undefined {
  if (record.type === "assistant") return record.message.id ?? record.uuid;
  if (record.type !== "user") return undefined;
  return userKindOf(record, blocksOf(record.message.content)) === "tool-result" ? undefined : record.uuid;
}

function toPage(lines: readonly Line[], start: number, end: number, size: number): MessagePage {
  const records = lines.flatMap((line) => line.records);
  return { messages: buildMessages(records), records, start, end, hasBefore: start > 0, hasAfter: end < size };
}

/** The lines before a place, the last one first. Memory holds one line and one block. */
function* linesBackwards(descriptor: number, path: string, limit: number): Generator<Line> {
  let held = NOTHING;
  /** Whether the line's end was let go of, since it is too long to be held. */
  let isTooLong = false;
  for (let start = limit; start > 0;) {
    // A long line doubles what is read, so that it is not gone over again and again.
    const size = Math.min(Math.max(BLOCK_BYTES, held.length), start);
    start -= size;
    const bytes = Buffer.concat([readAt(descriptor, path, start, size), held]);
    let end = bytes.length;
    for (let feed = lastFeed(bytes, end); feed !== -1; feed = lastFeed(bytes, end)) {
      const line = isTooLong ? NOTHING : bytes.subarray(feed + 1, end);
      yield toLine(line, path, start + feed + 1, start + end < limit);
      isTooLong = false;
      end = feed;
    }
    isTooLong ||= end > LONGEST_LINE_BYTES;
    held = isTooLong ? NOTHING : bytes.subarray(0, end);
    if (start === 0) yield toLine(held, path, 0, held.length < limit);
  }
}

function lastFeed(bytes: Buffer, end: number): number {
  return end === 0 ? -1 : bytes.lastIndexOf(LINE_FEED, end - 1);
}

/** Of a line without an end, the end is that of its last whole record: the next page goes on from there. */
function toLine(bytes: Buffer, path: string, offset: number, isEnded: boolean) {
  const entries = parseLine(bytes, { path, line: 0, offset }, { isEnded }).filter((entry) => entry.type === "record");
  const last = entries.at(-1)?.place;
  const end = isEnded ? offset + bytes.length : last === undefined ? offset : last.offset + last.lengthBytes;
  return { offset, end, records: entries.map(({ record }) => record) };
}
