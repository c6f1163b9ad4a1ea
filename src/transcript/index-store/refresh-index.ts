import { join } from "node:path";
import type { Kysely } from "kysely";
import { SkeinError } from "../../core/index.ts";
import type { SkippedPath } from "../problem.ts";
import { toSkipped } from "../to-skipped.ts";
import { readRange } from "./file-marks.ts";
import type { FileRow } from "./file-row.ts";
import { copyPath, isRecorded, type IndexSetting } from "./index-setting.ts";
import { isReplaced, planRefresh, type PlannedFile, type RefreshPlan } from "./plan-refresh.ts";
import { throwIfCancelled, withRefreshLock } from "./refresh-lock.ts";
import { restoreKept } from "./restore-kept.ts";
import type { TranscriptTables } from "./schema.ts";
import { takeInFile, type Intake } from "./take-in-file.ts";
import type { RefreshOptions, RefreshReport } from "./transcript-index.ts";
import { updateSessions } from "./update-sessions.ts";

/** Reads what is new. Where nothing is, no lock is taken and nothing written. */
export async function refreshIndex(setting: IndexSetting, options: RefreshOptions): Promise<RefreshReport> {
  const startedMs = performance.now();
  throwIfCancelled(options.signal);
  const plan = await planRefresh(setting);
  const isIdle = plan.files.length + plan.gone.length === 0 && !plan.hasDirty && (await hasRestored(setting.db));
  const done = isIdle
    ? await reportOf(setting.db, plan, createTally(plan, options))
    : await withRefreshLock(join(setting.folder, "refresh.lock"), options.signal, () => work(setting, options));
  return { ...done, durationMs: performance.now() - startedMs };
}

/** Looks again, since another process may have done it all while this one waited. */
async function work(setting: IndexSetting, options: RefreshOptions): Promise<Omit<RefreshReport, "durationMs">> {
  const { db, prices } = setting;
  const plan = await planRefresh(setting);
  const tally = createTally(plan, options);
  const intake: Intake = { db, prices, signal: options.signal, onRead: tally.onRead };
  for (const file of plan.files) {
    await takeIn(setting, intake, file, tally);
    tally.onFile();
    throwIfCancelled(options.signal);
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
  const isKept = setting.keepTranscripts && !isRecorded(setting, source);
  const copy = isKept ? copyPath(setting, source) : undefined;
  try {
    // Before anything is noted of it: whether it can be read at all.
    readRange(source, 0, 1);
    const isAnew = isReplaced(file);
    if (isAnew) tally.onReread();
    await takeInFile(intake, { ...file, source, copy }, isAnew);
  } catch (error) {
    if (!(error instanceof SkeinError) || error.kind !== "filesystem" || error.target !== source) throw error;
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
async function hasRestored(db: Kysely<TranscriptTables>): Promise<boolean> {
  return (await db.selectFrom("notes").select("value").where("name", "=", RESTORED).executeTakeFirst()) !== undefined;
}

interface Tally {
  readonly skipped: SkippedPath[];
  readonly counts: {
    filesRead: number;
    filesReread: number;
    bytesRead: number;
    linesRead: number;
    brokenLines: number;
  };
  readonly onRead: Intake["onRead"];
  onFile(): void;
  onReread(): void;
}

function createTally(plan: RefreshPlan, { onProgress }: RefreshOptions): Tally {
  const counts = { filesRead: 0, filesReread: 0, bytesRead: 0, linesRead: 0, brokenLines: 0 };
  const bytes = plan.files.reduce(
    (sum, { listed, known }) => sum + Math.max(0, listed.sizeBytes - (known?.offset ?? 0)),
    0,
  );
  let [filesDone, bytesBefore] = [0, 0];
  const tell = (): void =>
    onProgress?.({ files: plan.files.length, filesDone, bytes, bytesDone: Math.min(bytes, counts.bytesRead) });
  return {
    skipped: [...plan.listing.skipped],
    counts,
    onRead(read) {
      counts.bytesRead += read.bytes;
      counts.linesRead += read.lines;
      counts.brokenLines += read.brokenLines;
      tell();
    },
    onFile() {
      filesDone += 1;
      if (counts.bytesRead > bytesBefore) counts.filesRead += 1;
      bytesBefore = counts.bytesRead;
      tell();
    },
    onReread: () => void (counts.filesReread += 1),
  };
}

async function reportOf(
  db: Kysely<TranscriptTables>,
  plan: RefreshPlan,
  { counts, skipped }: Tally,
): Promise<Omit<RefreshReport, "durationMs">> {
  const sum = db.selectFrom("files").select(({ fn }) => fn.sum<number>("brokenLines").as("lines"));
  const brokenLinesKnown = (await sum.executeTakeFirst())?.lines ?? 0;
  return { files: plan.listing.files.length, ...counts, brokenLinesKnown, filesPurged: plan.purged, skipped };
}
