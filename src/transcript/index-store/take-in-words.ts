import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTick } from "node:timers/promises";
import { createId } from "../../core/internal.ts";
import { type CopyPlace, copyPath } from "../copies/copies.ts";
import { unpackKept } from "../copies/kept-file.ts";
import { isUnreadable, type SkippedPath, toSkipped } from "../problem.ts";
import { hasMarks } from "../read/file-marks.ts";
import type { WordBatch } from "./batch-jobs.ts";
import type { WordJob } from "./plan-words.ts";
import type { WordStore } from "./schema.ts";
import { wordsOfFile } from "./words-of-file.ts";
import { createWordWriter, type WordWriter } from "./write-words.ts";

/** What is told while words are taken in. */
export interface WordTally {
  onRead(read: { readonly bytes: number; readonly lines: number; readonly brokenLines: number }): void;
  onFile(read: { readonly isReread: boolean }): void;
  /** After every megabyte. */
  onStep(): void;
  onSkipped(skipped: SkippedPath): void;
}

/** Where words go, where their files' copies are, and what is told of it. */
export interface WordIntake {
  readonly store: WordStore;
  readonly place: CopyPlace;
  readonly tally: WordTally;
  /** Asked after every megabyte: whether to end with what there is. */
  readonly isOver: () => boolean;
}

/** A transaction takes in so much: words wait in memory until then, and the index gets one part for all of them. */
const TRANSACTION_BYTES = 16 * 1024 * 1024;
/** After so much others get their turn. */
const STEP_BYTES = 1024 * 1024;

/** Takes in the files of a batch, in transactions that go across them. */
export async function takeInBatch(intake: WordIntake, batch: WordBatch): Promise<void> {
  const { store, tally, isOver } = intake;
  const writer: { current: WordWriter | undefined } = { current: undefined };
  const steps = takeInFiles(intake, batch, () => writer.current as WordWriter);
  try {
    const transaction = (): Promise<boolean> =>
      store.write(async (prepare) => {
        writer.current = createWordWriter(prepare);
        for (let bytes = 0; bytes < TRANSACTION_BYTES;) {
          const step = await steps.next();
          tally.onStep();
          await nextTick();
          if (step.done === true || isOver()) return false;
          bytes += step.value;
        }
        return true;
      });
    while (await transaction());
  } finally {
    await steps.return();
  }
}

/** Yields where a transaction may end: what is noted of the files then is what is in the index. */
async function* takeInFiles(
  intake: WordIntake,
  { jobs, firstRow, firstFileRow }: WordBatch,
  writer: () => WordWriter,
): AsyncGenerator<number, void> {
  const { tally } = intake;
  const rows = { next: firstRow, nextFile: firstFileRow };
  let sinceStep = 0;
  for (const job of jobs) {
    try {
      await using source = await openSource(intake.place, job);
      const isAnew = job.from === 0 || !goesOn(job, source.path);
      for (const bytes of takeInFile({ ...intake, job, rows, writer }, source.path, isAnew ? 0 : job.from)) {
        sinceStep += bytes;
        if (sinceStep < STEP_BYTES) continue;
        yield sinceStep;
        sinceStep = 0;
      }
      tally.onFile({ isReread: isAnew && (job.known?.offset ?? 0) > 0 });
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      tally.onSkipped(toSkipped(job.facts.path, error));
      tally.onFile({ isReread: false });
    }
  }
  yield sinceStep;
}

/** The copy of a file that Claude Code has deleted is unpacked, and gone again afterwards. */
async function openSource(place: CopyPlace, { facts }: WordJob): Promise<AsyncDisposable & { readonly path: string }> {
  if (!facts.isPurged) return { path: facts.path, [Symbol.asyncDispose]: () => Promise.resolve() };
  const path = join(place.folder, `restored.${createId()}.jsonl`);
  const remove = (): Promise<void> => rm(path, { force: true });
  await unpackKept(copyPath(place, facts.path), path).catch((error: unknown) =>
    remove().then(() => Promise.reject(error)),
  );
  return { path, [Symbol.asyncDispose]: remove };
}

/** Whether a file is still the one of which words were taken in. */
function goesOn({ known, facts }: WordJob, path: string): boolean {
  if (known === undefined) return false;
  return facts.isPurged || hasMarks(path, { ...known, offset: known.markedOffset });
}

interface FileIntake extends WordIntake {
  readonly job: WordJob;
  readonly rows: { next: number; nextFile: number };
  readonly writer: () => WordWriter;
}

/** Yields bytes that were read, each time that the place after them is noted. */
function* takeInFile({ job, rows, writer, tally }: FileIntake, path: string, from: number): Generator<number, void> {
  const { facts, known } = job;
  const fileRow = known?.row ?? rows.nextFile++;
  let [at, noted, isBegun] = [from, from, false];
  const note = (): number => {
    const bytes = at - noted;
    noted = at;
    if (isBegun) writer().moveFile(fileRow, at);
    else writer().noteFile(fileRow, facts, { upTo: at, isKnown: known !== undefined });
    isBegun = true;
    return bytes;
  };
  const lines = wordsOfFile(path, from, facts.offset);
  // Nothing is noted of a file that cannot be read.
  let line = lines.next();
  if (from === 0 && known !== undefined) writer().forget(fileRow);
  note();
  try {
    for (; !line.done; line = lines.next()) {
      const { records, end, ...counts } = line.value;
      for (const record of records) writer().addRecord(rows.next++, fileRow, record);
      tally.onRead({ bytes: end - at, lines: counts.lines, brokenLines: counts.brokenLines });
      at = end;
      if (at - noted >= STEP_BYTES) yield note();
    }
    // A file that ends before was cut meanwhile: the totals see that, and it is read again.
    at = facts.offset;
    yield note();
  } catch (error) {
    // What was read until then is in the index. After an error of the database, nothing of the transaction is.
    if (isUnreadable(error)) note();
    throw error;
  } finally {
    lines.return();
  }
}
