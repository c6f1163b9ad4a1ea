import type { WordJob } from "./plan-words.ts";

/** Files that are taken in one after the other, the oldest first, and the numbers that their records get. */
export interface WordBatch {
  readonly jobs: readonly WordJob[];
  readonly firstRow: number;
  /** The number of the first file that is new. */
  readonly firstFileRow: number;
}

/** What the index holds: the numbers of its records, and how old the oldest of its files is. */
export interface WordRange {
  readonly lowest: number | null;
  readonly highest: number | null;
  readonly highestFile: number | null;
  readonly oldestNs: string | null;
}

/** In the middle of all numbers that are exact. */
const FIRST_ROW = 2 ** 40;
/** No record is shorter. */
const RECORD_BYTES = 8;
const BATCH_BYTES = 16 * 1024 * 1024;

/**
 * Puts files in the order in which they are taken in: the newest batch first, since what was said last is mostly what is looked
 * for. Records are numbered by age all the same, for searches that rank only the newest: batches of older files get numbers
 * below those that there are.
 */
export function batchJobs(jobs: readonly WordJob[], range: WordRange): readonly WordBatch[] {
  const { lowest, highest, highestFile, oldestNs } = range;
  const sorted = jobs.toSorted((left, right) => compare(left.facts.modifiedAtNs, right.facts.modifiedAtNs));
  const isOlder = ({ facts }: WordJob): boolean => oldestNs === null || compare(facts.modifiedAtNs, oldestNs) < 0;
  const newer = sorted.filter((job) => !isOlder(job));
  const batches: WordBatch[] = [];
  let firstFileRow = (highestFile ?? 0) + 1;
  const add = (batch: readonly WordJob[], firstRow: number): void => {
    batches.push({ jobs: batch, firstRow, firstFileRow });
    firstFileRow += batch.length;
  };
  if (newer.length > 0) add(newer, (highest ?? FIRST_ROW) + 1);
  let below = lowest ?? FIRST_ROW;
  for (const older of cut(sorted.filter(isOlder).toReversed())) {
    below -= Math.ceil(sizeOf(older) / RECORD_BYTES) + older.length;
    add(older.toReversed(), below);
  }
  return batches;
}

function cut(jobs: readonly WordJob[]): readonly (readonly WordJob[])[] {
  const batches: WordJob[][] = [];
  let room = 0;
  for (const job of jobs) {
    if (room <= 0) {
      batches.push([]);
      room = BATCH_BYTES;
    }
    batches.at(-1)?.push(job);
    room -= sizeOf([job]);
  }
  return batches;
}

/** All of a file: it may turn out to be another one, which is read from its start. */
function sizeOf(jobs: readonly WordJob[]): number {
  return jobs.reduce((sum, { facts }) => sum + facts.offset, 0);
}

/** Times in nanoseconds are text with equally many digits, but for files from before 2001. */
function compare(left: string, right: string): number {
  return left.length - right.length || (left < right ? -1 : left > right ? 1 : 0);
}
