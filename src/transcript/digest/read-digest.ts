import { readMarks } from "../read/file-marks.ts";
import { LINE_FEED, linesIn, type LineBlock, readBlocks } from "../read/read-lines.ts";
import { OPEN_BRACE } from "../scan/json-bytes.ts";
import { scanLine } from "../scan/scan-file.ts";
import { createDigestBuilder, type DigestBuilder, type ReadPlace } from "./digest-builder.ts";
import type { FileDigest } from "./file-digest.ts";
import { createLineReader, type LineReader } from "./line-reader.ts";

/** A file to read, and what is known of its beginning. */
export interface DigestJob {
  /** The file as it was when it was listed. */
  readonly place: Omit<ReadPlace, "offset" | "headBytes" | "headHash" | "edgeHash">;
  readonly parentSessionId: string | undefined;
  readonly before: FileDigest | undefined;
}

/** Memory that is used again for each file. */
export interface ReadMemory {
  buffer: Buffer;
}

/** Reads what is new in a file, block by block: it yields how many bytes each had, so that others get their turn. */
export function* readDigest(
  job: DigestJob,
  memory: ReadMemory,
  source = job.place.path,
): Generator<number, FileDigest> {
  const { place, before } = job;
  const builder = createDigestBuilder({ ...place, parentSessionId: job.parentSessionId }, before);
  const read = createLineReader(builder);
  let offset = before?.facts.offset ?? 0;
  for (const block of readBlocks(source, { fromOffset: offset }, memory)) {
    offset = takeBlock(block, builder, read, offset);
    yield block.end + block.rest.length + (block.tooLong?.lengthBytes ?? 0);
  }
  return builder.finish({ ...place, offset, ...readMarks(source, offset) });
}

/** Takes in the lines of a block, and gives the place to go on from: half a record at the end waits for the rest of it. */
function takeBlock(block: LineBlock, builder: DigestBuilder, read: LineReader, from: number): number {
  const { bytes, end, offset, rest, tooLong } = block;
  for (let start = 0; start < end;) {
    const lineEnd = bytes.indexOf(LINE_FEED, start);
    if (bytes[start] !== OPEN_BRACE || !read(bytes, start, lineEnd, offset + start)) {
      const place = { offset: offset + start, lengthBytes: lineEnd - start };
      takeEntries(scanLine({ bytes, start, end: lineEnd, ...place, isEnded: true, isTooLong: false }), builder);
    }
    start = lineEnd + 1;
  }
  let next = end > 0 ? offset + end : from;
  if (rest.length === 0 && tooLong === undefined) return next;
  for (const line of linesIn({ ...block, end: 0, offset: offset + end })) {
    const entries = scanLine(line);
    takeEntries(entries, builder);
    const last = entries.at(-1);
    if (line.isEnded) next = line.offset + line.lengthBytes + 1;
    else if (last !== undefined) next = last.offset + last.lengthBytes;
  }
  return next;
}

function takeEntries(entries: ReturnType<typeof scanLine>, builder: DigestBuilder): void {
  for (const entry of entries) {
    if (entry.type === "record") builder.addRecord(entry);
    else builder.addBroken();
  }
}
