import { statSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { defined } from "../../core/internal.ts";
import { type HeldLock, LockHeldError, takeLock } from "../../database/index.ts";
import { hasCopy } from "../totals/take-copies.ts";
import type { OpenedTotals, TotalsSetting } from "../totals/create-totals.ts";
import { isAborted, throwIfCancelled } from "../problem.ts";
import { batchJobs, type WordRange } from "./batch-jobs.ts";
import { missingOf, planWords, type WordPlan } from "./plan-words.ts";
import type { WordDatabase, WordStore } from "./schema.ts";
import { takeInBatch, type WordTally } from "./take-in-words.ts";
import type { IndexRefreshOptions, IndexReport, MissingWords } from "./transcript-index.ts";
import { createWordWriter } from "./write-words.ts";

/** The index of words over the totals that it goes by. */
export interface WordIndex {
  readonly store: WordStore;
  readonly totals: OpenedTotals;
  readonly setting: TotalsSetting;
  /** The database's file. */
  readonly path: string;
}

const REFRESH = "The refresh of the transcript index";
/** So long another process is waited for by who has little patience: a short refresh is over by then. */
const OTHERS_MS = 1000;

/** Brings the totals up to date, then the words. Where nothing is new, no lock is taken and nothing written. */
export async function refreshWords(index: WordIndex, options: IndexRefreshOptions): Promise<IndexReport> {
  const startedMs = performance.now();
  const { signal, patienceMs = Number.POSITIVE_INFINITY } = options;
  throwIfCancelled(signal, REFRESH);
  const known = await index.totals.refresh(options);
  const tally = createTally(options);
  const before = await planOf(index);
  if (before.jobs.length + before.gone.length > 0) {
    await using lock = await lockAlone(index, options);
    if (lock !== undefined) {
      // What another process has taken in meanwhile may be newer than the totals of before.
      await index.totals.refresh(defined({ signal }));
      await takeIn(index, { tally, signal, endMs: startedMs + patienceMs });
    }
  }
  const skipped = [...known.skipped, ...tally.skipped];
  const [missing, indexBytes] = [await missingWords(index), sizeOf(index.path)];
  return { ...known, ...tally.counts, skipped, missing, indexBytes, durationMs: performance.now() - startedMs };
}

/** With what was written last, which SQLite keeps beside the file for a while. */
function sizeOf(path: string): number {
  const sizes = [path, `${path}-wal`].map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** What the totals know of and the index has not taken in. */
export async function missingWords(index: WordIndex): Promise<MissingWords> {
  return missingOf(await planOf(index));
}

async function planOf({ store, totals, setting }: WordIndex): Promise<WordPlan> {
  const rows = await store.db.selectFrom("files").selectAll().execute();
  return planWords(rows, totals.view().ledger.files, (facts) => hasCopy(setting, facts));
}

/** Undefined where another process takes words in, and patience is limited. */
async function lockAlone(
  { setting }: WordIndex,
  { signal, patienceMs }: IndexRefreshOptions,
): Promise<HeldLock | undefined> {
  const waitMs = patienceMs === undefined ? Number.POSITIVE_INFINITY : Math.min(patienceMs, OTHERS_MS);
  try {
    return await takeLock(join(setting.folder, "refresh.lock"), { waitMs, signal });
  } catch (error) {
    throwIfCancelled(signal, REFRESH);
    if (patienceMs !== undefined && error instanceof LockHeldError) return undefined;
    throw error;
  }
}

interface TakingIn {
  readonly tally: ReturnType<typeof createTally>;
  readonly signal: AbortSignal | undefined;
  readonly endMs: number;
}

/** All that a transaction changes fits into this, so that each page is written once. */
const CACHE_KIB = 128 * 1024;
/** SQLite's own. */
const USUAL_CACHE_KIB = 2000;

async function takeIn(index: WordIndex, { tally, signal, endMs }: TakingIn): Promise<void> {
  const { store, setting } = index;
  const { jobs, gone } = await planOf(index);
  await store.write(async (prepare) => {
    const writer = createWordWriter(prepare);
    for (const { row } of gone) writer.forgetFile(row);
  });
  await using _ = await enlargeCache(store.db);
  const isOver = (): boolean => isAborted(signal) || performance.now() > endMs;
  tally.begin(missingOf({ jobs, gone }));
  for (const batch of batchJobs(jobs, await rangeOf(store.db))) {
    if (isOver()) break;
    await takeInBatch({ store, place: setting, tally, isOver }, batch);
  }
  throwIfCancelled(signal, REFRESH);
}

/** A process that goes on, such as a server, gets its memory back afterwards. */
async function enlargeCache(db: WordDatabase): Promise<AsyncDisposable> {
  const resize = (kib: number): Promise<unknown> => sql`pragma cache_size = ${sql.lit(-kib)}`.execute(db);
  await resize(CACHE_KIB);
  // Where the database has failed, that is what is to be told.
  const restore = (): Promise<unknown> => resize(USUAL_CACHE_KIB).catch(() => undefined);
  return { [Symbol.asyncDispose]: () => restore().then(() => undefined) };
}

async function rangeOf(db: WordDatabase): Promise<WordRange> {
  const { rows } = await sql<WordRange>`
    select (select min(row) from messages) as lowest, (select max(row) from messages) as highest,
      (select max(row) from files) as highestFile, (select min(modifiedAtNs) from files) as oldestNs`.execute(db);
  return rows[0] as WordRange;
}

function createTally({ onProgress }: IndexRefreshOptions) {
  const counts = { filesRead: 0, filesReread: 0, bytesRead: 0, linesRead: 0, brokenLines: 0 };
  const skipped: Parameters<WordTally["onSkipped"]>[0][] = [];
  let [wanted, filesDone, bytesBefore]: [MissingWords, number, number] = [{ files: 0, bytes: 0 }, 0, 0];
  const tell = (): void => {
    const { files, bytes } = wanted;
    onProgress?.({ step: "indexing", files, filesDone, bytes, bytesDone: Math.min(bytes, counts.bytesRead) });
  };
  return {
    counts,
    skipped,
    begin: (missing: MissingWords): void => void (wanted = missing),
    onRead(read: Parameters<WordTally["onRead"]>[0]): void {
      counts.bytesRead += read.bytes;
      counts.linesRead += read.lines;
      counts.brokenLines += read.brokenLines;
    },
    onFile({ isReread }: Parameters<WordTally["onFile"]>[0]): void {
      filesDone += 1;
      if (counts.bytesRead > bytesBefore) counts.filesRead += 1;
      if (isReread) counts.filesReread += 1;
      bytesBefore = counts.bytesRead;
      tell();
    },
    onStep: tell,
    onSkipped: (path: (typeof skipped)[number]): void => void skipped.push(path),
  };
}
