import { readMarks } from "../read/file-marks.ts";
import { linesIn, type LineBlock, readBlocks } from "../read/read-lines.ts";
import type { LineScanner, LineVisitor } from "../scan/line-scanner.ts";
import { parseLine, scanLine } from "../scan/scan-file.ts";
import { createDigestBuilder, type DigestBuilder, type ReadPlace } from "./digest-builder.ts";
import type { FileDigest } from "./file-digest.ts";
import { createLineTaker } from "./take-lines.ts";

/** A file to read, and what is known of its beginning. */
export interface DigestJob {
  /** The file as it was when it was listed. */
  readonly place: Omit<ReadPlace, "offset" | "headBytes" | "headHash" | "edgeHash">;
  readonly parentSessionId: string | undefined;
  readonly before: FileDigest | undefined;
}

/** Reads what is new in a file, block by block: it yields how many bytes each had, so that others get their turn. */
export function* readDigest(
  job: DigestJob,
  scanner: LineScanner,
  source = job.place.path,
): Generator<number, FileDigest> {
  const { place, before } = job;
  let offset = before?.facts.offset ?? 0;
  const bytesAhead = Math.max(0, place.sizeBytes - offset);
  const builder = createDigestBuilder({ ...place, parentSessionId: job.parentSessionId, bytesAhead }, before);
  const takeBlock = createBlockTaker(builder, scanner);
  for (const block of readBlocks(source, { fromOffset: offset }, scanner.memory)) {
    offset = takeBlock(block, offset);
    yield block.end + block.rest.length + (block.tooLong?.lengthBytes ?? 0);
  }
  return builder.finish({ ...place, offset, ...readMarks(source, offset) });
}

/** Makes what takes in the lines of a block, and gives the place to go on from: half a record at the end waits for the rest of it. */
function createBlockTaker(builder: DigestBuilder, scanner: LineScanner): (block: LineBlock, from: number) => number {
  const take = createLineTaker(builder);
  let [bytes, offset] = [scanner.memory.buffer, 0];
  const visitor: LineVisitor = {
    found: (table, row) => take(table, row, offset + scanner.startOf(table, row)),
    parse(start, end, isKnown) {
      const place = { offset: offset + start, lengthBytes: end - start };
      const line = { bytes, start, end, ...place, isEnded: true, isTooLong: false };
      takeEntries(isKnown ? parseLine(line) : scanLine(line), builder);
    },
  };
  scanner.forgetTexts();
  return (block, from) => {
    ({ bytes, offset } = block);
    const { end, rest, tooLong } = block;
    builder.facts.sawLines(scanner.scan(0, end, visitor));
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
  };
}

function takeEntries(entries: ReturnType<typeof parseLine>, builder: DigestBuilder): void {
  for (const entry of entries) {
    if (entry.type === "record") builder.addRecord(entry);
    else builder.addBroken();
  }
}
