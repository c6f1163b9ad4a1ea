import { setImmediate as nextTick } from "node:timers/promises";
import { isUnreadable, throwIfCancelled, toSkipped, type SkippedPath, type TranscriptProblem } from "../problem.ts";
import { skipMark, tooLong } from "../read/parse-transcript.ts";
import { LINE_FEED, type LineBlock, lineNumberAt, readBlocks } from "../read/read-lines.ts";
import { type CountOptions, createUsageCounter, type UsageCounter } from "../usage/usage-counter.ts";
import { usageLineOf } from "../usage/usage-line.ts";
import { isBlank } from "./json-bytes.ts";
import { settledStretches } from "./recover-records.ts";
import { createUsageScanner, type UsageScanner } from "./usage-scanner.ts";

export interface ScanUsageOptions extends CountOptions {
  readonly signal?: AbortSignal;
}

/** Every count of tokens has a key that ends so, and no writer of JSON escapes letters: a line without it states no usage. */
const MARK = Buffer.from('_tokens"');

/**
 * Counts the usage of many transcripts without parsing what states none. Memory does not grow with the files' size. Its problems
 * are the lines that count tokens and are broken: `load` reports the others.
 */
export async function scanUsage(paths: Iterable<string>, options: ScanUsageOptions = {}) {
  const counter = createUsageCounter(options);
  const state = { problems: [] as TranscriptProblem[], skipped: [] as SkippedPath[], files: 0, bytes: 0 };
  const memory = { buffer: Buffer.allocUnsafe(1024 * 1024) };
  const scan = createUsageScanner();
  for (const path of paths) {
    try {
      for (const block of readBlocks(path, {}, memory)) {
        scanBlock(block, { path, scan, counter, problems: state.problems });
        state.bytes += block.end + block.rest.length + (block.tooLong?.lengthBytes ?? 0);
        // Others get their turn, and an abort is seen, after each block.
        await nextTick();
        throwIfCancelled(options.signal, "The scan");
      }
      state.files += 1;
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      state.skipped.push(toSkipped(path, error));
    }
  }
  return { ...counter.report(), ...state };
}

interface Target {
  readonly path: string;
  readonly scan: UsageScanner;
  readonly counter: UsageCounter;
  readonly problems: TranscriptProblem[];
}

function scanBlock(block: LineBlock, target: Target): void {
  const { bytes, end, rest } = block;
  if (block.tooLong?.isEnded === true) {
    const { path, problems } = target;
    const place = { path, line: lineNumberAt(path, block.offset), offset: block.offset };
    problems.push(tooLong({ ...place, lengthBytes: block.tooLong.lengthBytes }).problem);
  }
  for (let hit = bytes.indexOf(MARK); hit !== -1 && hit < end;) {
    const begin = bytes.lastIndexOf(LINE_FEED, hit) + 1;
    const start = skipMark(bytes, begin, block.offset + begin);
    const lineEnd = bytes.indexOf(LINE_FEED, hit);
    if (!scanLine(bytes, start, lineEnd, target, true)) report(block, start, lineEnd, target);
    hit = bytes.indexOf(MARK, lineEnd + 1);
  }
  // A last line without an end may be half a record still being written: it is counted if it is whole.
  if (rest.length > 0 && rest.includes(MARK))
    scanLine(rest, skipMark(rest, 0, block.offset), rest.length, target, false);
}

/** Whether the line was one record, or records glued together. */
function scanLine(bytes: Buffer, start: number, end: number, target: Target, isEnded: boolean): boolean {
  const { scan, counter, path } = target;
  const found = scan(bytes, start, end);
  if (found !== undefined && isBlank(bytes, found.end, end)) {
    if (found.line !== undefined) counter.add(found.line, path);
    return true;
  }
  const stretches = settledStretches(bytes, start, end, isEnded);
  for (const { value } of stretches) {
    const line = usageLineOf(value);
    if (line !== undefined) counter.add(line, path);
  }
  return stretches.every(({ isBroken }) => !isBroken);
}

function report(block: LineBlock, start: number, end: number, { path, problems }: Target): void {
  const offset = block.offset + start;
  const message = "The line is not JSON, or only parts of it are";
  problems.push({ kind: "broken", path, line: lineNumberAt(path, offset), offset, lengthBytes: end - start, message });
}
