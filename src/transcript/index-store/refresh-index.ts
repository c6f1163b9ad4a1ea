import { join, sep } from "node:path";
import { takeLock } from "../../database/index.ts";
import { isUnreadable, type SkippedPath, throwIfCancelled, toSkipped } from "../problem.ts";
import { readRange } from "../read/read-bytes.ts";
import { hasMarks } from "../read/file-marks.ts";
import { copyPath, type IndexSetting, isRecorded, isToKeep } from "./index-setting.ts";
import { listFiles } from "../discover/list-files.ts";
import { restoreKept } from "./restore-kept.ts";
import type { FileRow, IndexDatabase } from "./schema.ts";
import { REFRESH, takeInFile, type Intake, type IntakeFile } from "./take-in-file.ts";
import type { RefreshOptions, RefreshReport } from "./transcript-index.ts";
import { updateSessions } from "./update-sessions.ts";

/** Reads what is new. Where nothing is, no lock is taken and nothing written. */
export async function refreshIndex(setting: IndexSetting, options: RefreshOptions): Promise<RefreshReport> {
  const startedMs = performance.now();
  throwIfCancelled(options.signal, REFRESH);
  const plan = await planRefresh(setting);
  const isIdle = plan.files.length + plan.gone.length === 0 && !plan.hasDirty && (await hasRestored(setting.db));
  const done = isIdle
    ? await reportOf(setting.db, plan, createTally(plan, options))
    : await refreshAlone(setting, options);
  return { ...done, durationMs: performance.now() - startedMs };
}

/** Waits for as long as another process refreshes, and looks again, since that one may have done it all. */
async function refreshAlone(setting: IndexSetting, options: RefreshOptions) {
  const { db, prices, folder } = setting;
  const lock = takeLock(join(folder, "refresh.lock"), { waitMs: Number.POSITIVE_INFINITY, signal: options.signal });
  await using _ = await lock.catch((error: unknown) => {
    throwIfCancelled(options.signal, REFRESH);
    throw error;
  });
  const plan = await planRefresh(setting);
  const tally = createTally(plan, options);
  const intake: Intake = { db, prices, signal: options.signal, onRead: tally.onRead };
  for (const file of plan.files) {
    await takeIn(setting, intake, file, tally);
    tally.onFile();
    throwIfCancelled(options.signal, REFRESH);
  }
  await notePurged(setting, plan.gone);
  if (!(await hasRestored(db))) {
    tally.skipped.push(...(await restoreKept(setting, { ...intake, onRead: () => undefined }, plan.listing.files)));
    await db.replaceInto("notes").values({ name: RESTORED, value: "yes" }).execute();
  }
  await updateSessions(db);
  return await reportOf(db, plan, tally);
}

async function takeIn(setting: IndexSetting, intake: Intake, file: PlannedFile, tally: Tally): Promise<void> {
  const source = file.listed.path;
  const copy = isToKeep(setting, source) ? copyPath(setting, source) : undefined;
  try {
    // Before anything is noted of it: whether it can be read at all.
    readRange(source, 0, 1);
    const isAnew = isReplaced(file);
    if (isAnew) tally.onReread();
    await takeInFile(intake, { ...file, source, copy }, isAnew);
  } catch (error) {
    if (!isUnreadable(error) || error.target !== source) throw error;
    tally.skipped.push(toSkipped(source, error));
  }
}

/** A file that Claude Code has deleted stays in the index, unless nothing was ever read of it; a recorded one was deleted on purpose. */
async function notePurged(setting: IndexSetting, gone: readonly FileRow[]): Promise<void> {
  const { db } = setting;
  for (const { row, path, offset, logicalId } of gone) {
    if (offset === 0 || isRecorded(setting, path)) {
      await db.updateTable("files").set({ isDirty: 1 }).where("logicalId", "=", logicalId).execute();
      await db.deleteFrom("files").where("row", "=", row).execute();
    } else {
      await db.updateTable("files").set({ isPurged: 1, isDirty: 1 }).where("row", "=", row).execute();
    }
  }
}

const RESTORED = "kept transcripts were looked through";

/** A new index takes in the copies that an earlier one has left; later they are all known. */
async function hasRestored(db: IndexDatabase): Promise<boolean> {
  return (await db.selectFrom("notes").select("value").where("name", "=", RESTORED).executeTakeFirst()) !== undefined;
}

type Tally = ReturnType<typeof createTally>;

function createTally(plan: RefreshPlan, { onProgress }: RefreshOptions) {
  const counts = { filesRead: 0, filesReread: 0, bytesRead: 0, linesRead: 0, brokenLines: 0 };
  let [bytes, filesDone, bytesBefore] = [0, 0, 0];
  for (const { listed, known } of plan.files) bytes += Math.max(0, listed.sizeBytes - (known?.offset ?? 0));
  const tell = (): void =>
    onProgress?.({ files: plan.files.length, filesDone, bytes, bytesDone: Math.min(bytes, counts.bytesRead) });
  return {
    skipped: [...plan.listing.skipped],
    counts,
    onRead(read: Parameters<Intake["onRead"]>[0]): void {
      counts.bytesRead += read.bytes;
      counts.linesRead += read.lines;
      counts.brokenLines += read.brokenLines;
      tell();
    },
    onFile(): void {
      filesDone += 1;
      if (counts.bytesRead > bytesBefore) counts.filesRead += 1;
      bytesBefore = counts.bytesRead;
      tell();
    },
    onReread: () => void (counts.filesReread += 1),
  };
}

async function reportOf(db: IndexDatabase, plan: RefreshPlan, { counts, skipped }: Tally) {
  const sum = db.selectFrom("files").select(({ fn }) => fn.sum<number>("brokenLines").as("lines"));
  const brokenLinesKnown = (await sum.executeTakeFirst())?.lines ?? 0;
  return { files: plan.listing.files.length, ...counts, brokenLinesKnown, filesPurged: plan.purged, skipped };
}

type PlannedFile = Pick<IntakeFile, "listed" | "known">;
type RefreshPlan = Awaited<ReturnType<typeof planRefresh>>;

/** Compares what lies on the disk with what the index has read. No file is opened. */
async function planRefresh(setting: IndexSetting) {
  const { db, base, recorded } = setting;
  const listing = await listFiles(recorded === undefined ? [base] : [base, recorded]);
  const rows = await db.selectFrom("files").selectAll().execute();
  const known = new Map(rows.map((row) => [row.path, row]));
  const listed = new Set(listing.files.map(({ path }) => path));
  const files = listing.files
    .map((file): PlannedFile => ({ listed: file, known: known.get(file.path) }))
    .filter((file) => !isUpToDate(file, setting))
    .toSorted((left, right) => compare(left.listed.modifiedAtNs, right.listed.modifiedAtNs));
  const gone = rows.filter(({ path }) => !listed.has(path) && !isBelowSkipped(path, listing.skipped));
  return {
    listing,
    /** The oldest first, so that what is newest is also the last that was written. */
    files,
    gone: gone.filter(({ isPurged }) => isPurged === 0),
    purged: gone.length,
    /** Whether another refresh was ended before it summed up the sessions. */
    hasDirty: rows.some(({ isDirty }) => isDirty === 1),
  };
}

/** Whether a file is not the one that was read: it has become shorter, lies elsewhere on the disk, or begins otherwise. */
function isReplaced({ listed, known }: PlannedFile): boolean {
  if (known === undefined || known.offset === 0) return false;
  if (known.identity !== listed.identity || listed.sizeBytes < known.offset) return true;
  return !hasMarks(listed.path, known);
}

function isUpToDate({ listed, known }: PlannedFile, setting: IndexSetting): boolean {
  return (
    known !== undefined &&
    known.isPurged === 0 &&
    known.identity === listed.identity &&
    known.sizeBytes === listed.sizeBytes &&
    known.modifiedAtNs === listed.modifiedAtNs &&
    (!isToKeep(setting, listed.path) || known.keptRawBytes >= known.offset)
  );
}

/** Of what lies in a folder that cannot be read nobody knows whether it is gone. */
function isBelowSkipped(path: string, skipped: readonly SkippedPath[]): boolean {
  return skipped.some((place) => path === place.path || path.startsWith(place.path + sep));
}

/** Times in nanoseconds are text with equally many digits, but for files from before 2001. */
function compare(left: string, right: string): number {
  return left.length - right.length || (left < right ? -1 : left > right ? 1 : 0);
}
