import { setImmediate as nextTick } from "node:timers/promises";
import { isUnreadable, throwIfCancelled, toSkipped, type SkippedPath, type TranscriptProblem } from "../problem.ts";
import { tooLong } from "../read/parse-transcript.ts";
import { type LineBlock, lineNumberAt, readBlocks, skipMark } from "../read/read-lines.ts";
import { type CountOptions, createUsageCounter, type UsageCounter } from "../usage/usage-counter.ts";
import { usageLineOf } from "../usage/usage-line.ts";
import { createFoundTexts } from "./found-texts.ts";
import { usageLineAt } from "./found-usage.ts";
import { parse } from "./json-bytes.ts";
import { createLineScanner, type LineScanner } from "./line-scanner.ts";
import { settledStretches } from "./recover-records.ts";

export interface ScanUsageOptions extends CountOptions {
  readonly signal?: AbortSignal;
}

const BLOCKS_A_TURN = 4;

/** Every count of tokens has a key that ends so, and no writer of JSON escapes letters: a line without it states no usage. */
const MARK = Buffer.from('_tokens"');

/**
 * Counts the usage of many transcripts without parsing what states none. Memory does not grow with the files' size. Its problems
 * are the lines that count tokens and are broken: `load` reports the others.
 */
export async function scanUsage(paths: Iterable<string>, options: ScanUsageOptions = {}) {
  const counter = createUsageCounter(options);
  const state = { problems: [] as TranscriptProblem[], skipped: [] as SkippedPath[], files: 0, bytes: 0 };
  const scanner = createLineScanner(true);
  let blocks = 0;
  for (const path of paths) {
    try {
      const countBlock = createBlockCounter({ path, scanner, counter, problems: state.problems });
      for (const block of readBlocks(path, {}, scanner.memory)) {
        countBlock(block);
        state.bytes += block.end + block.rest.length + (block.tooLong?.lengthBytes ?? 0);
        // Others get their turn, and an abort is seen, after some blocks: one takes less than a millisecond.
        if ((blocks += 1) % BLOCKS_A_TURN === 1) await nextTick();
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
  readonly scanner: LineScanner;
  readonly counter: UsageCounter;
  readonly problems: TranscriptProblem[];
}

/** Makes what counts the blocks of a file. */
function createBlockCounter({ path, scanner, counter, problems }: Target): (block: LineBlock) => void {
  const { texts, take } = createFoundTexts();
  const count = ({ value }: { readonly value: unknown }): void => {
    const line = usageLineOf(value);
    if (line !== undefined) counter.add(line, path);
  };
  /** Whether the line was one record, or records glued together. */
  const parseLine = (bytes: Buffer, start: number, end: number, isEnded: boolean): boolean => {
    const value = parse(bytes, start, end);
    const stretches = value === undefined ? settledStretches(bytes, start, end, isEnded) : [{ value, isBroken: false }];
    for (const stretch of stretches) count(stretch);
    return stretches.every(({ isBroken }) => !isBroken);
  };
  scanner.forgetTexts();
  return (block) => {
    const { bytes, end, rest } = block;
    if (block.tooLong?.isEnded === true) {
      const place = { path, line: lineNumberAt(path, block.offset), offset: block.offset };
      problems.push(tooLong({ ...place, lengthBytes: block.tooLong.lengthBytes }).problem);
    }
    scanner.scan(0, end, {
      found(table, row) {
        if (!take(table, row)) return false;
        const line = usageLineAt(table, row, texts, false);
        if (line === null) return false;
        if (line !== undefined) counter.add(line, path);
        return true;
      },
      parse(begin, lineEnd) {
        if (!bytes.subarray(begin, lineEnd).includes(MARK)) return;
        const start = skipMark(bytes, begin, block.offset + begin);
        if (!parseLine(bytes, start, lineEnd, true)) report(block, start, lineEnd, { path, problems });
      },
    });
    // A last line without an end may be half a record still being written: it is counted if it is whole.
    if (rest.includes(MARK)) parseLine(rest, skipMark(rest, 0, block.offset), rest.length, false);
  };
}

function report(
  block: LineBlock,
  start: number,
  end: number,
  { path, problems }: Pick<Target, "path" | "problems">,
): void {
  const offset = block.offset + start;
  const message = "The line is not JSON, or only parts of it are";
  problems.push({ kind: "broken", path, line: lineNumberAt(path, offset), offset, lengthBytes: end - start, message });
}
