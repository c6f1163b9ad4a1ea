import type { ExpressionBuilder } from "kysely";
import type { PriceTable } from "../../core/internal.ts";
import { throwIfCancelled } from "../problem.ts";
import { scanFile, type ScannedDamage, type ScannedRecord } from "../scan/scan-file.ts";
import { readMarks } from "../read/file-marks.ts";
import { addFacts, newFileRow } from "./file-row.ts";
import { keepUpTo } from "../copies/kept-file.ts";
import type { ListedFile } from "../discover/list-files.ts";
import type { FileRow, IndexDatabase, TranscriptTables } from "./schema.ts";
import { listOf } from "./sql-parts.ts";
import { writeRecords } from "./write-records.ts";

export interface Intake {
  readonly db: IndexDatabase;
  readonly prices: PriceTable;
  readonly signal: AbortSignal | undefined;
  readonly onRead: (read: { readonly bytes: number; readonly lines: number; readonly brokenLines: number }) => void;
}

export interface IntakeFile {
  readonly listed: ListedFile;
  readonly known: FileRow | undefined;
  /** The bytes; another place than the file's own where they come from a copy. */
  readonly source: string;
  /** Where a copy is kept; undefined where none is to be. */
  readonly copy: string | undefined;
}

export const REFRESH = "The refresh of the transcript index";

/** A transaction takes in so much of a file at once: memory and the time that others wait for are bounded by it. */
const PART_BYTES = 4 * 1024 * 1024;
const PART_RECORDS = 2000;

/** Reads what is new in a file, part by part. A file that is no longer the one that was read is forgotten before. */
export async function takeInFile(intake: Intake, file: IntakeFile, isReplaced: boolean): Promise<void> {
  let row = await prepareRow(intake.db, file, isReplaced);
  for (const part of readParts(file.source, row.offset)) {
    row = await writePart(intake, file, row, part);
    throwIfCancelled(intake.signal, REFRESH);
  }
  await finish(intake, file, row);
}

async function prepareRow(db: IndexDatabase, file: IntakeFile, isReplaced: boolean): Promise<FileRow> {
  const { listed, known } = file;
  if (known !== undefined && !isReplaced) return known;
  const fresh = { ...newFileRow(listed), logicalId: known?.logicalId ?? null };
  return db.transaction().execute(async (inside) => {
    if (known !== undefined) await forgetContent(inside, known.row);
    const query =
      known === undefined
        ? inside.insertInto("files").values(fresh).returningAll()
        : inside.updateTable("files").set(fresh).where("row", "=", known.row).returningAll();
    return query.executeTakeFirstOrThrow();
  });
}

async function forgetContent(db: IndexDatabase, row: number): Promise<void> {
  const named = db
    .selectFrom("summaries")
    .innerJoin("messages", "messages.uuid", "summaries.leafUuid")
    .select("messages.fileRow")
    .where("summaries.fileRow", "=", row);
  await db.updateTable("files").set({ isDirty: 1 }).where("row", "in", named).execute();
  for (const table of ["summaries", "messages", "toolCalls", "usage"] as const) {
    await db.deleteFrom(table).where("fileRow", "=", row).execute();
  }
  // Those that shared records with it no longer do: what was a copy may now be the only one.
  const partners = await db.selectFrom("links").selectAll().where(linked(row)).execute();
  const rows = partners.map(({ low, high }) => (low === row ? high : low));
  if (rows.length > 0) await db.updateTable("files").set({ isDirty: 1 }).where("row", "in", listOf(rows)).execute();
  await db.deleteFrom("links").where(linked(row)).execute();
}

const linked = (row: number) => (links: ExpressionBuilder<TranscriptTables, "links">) =>
  links.or([links("low", "=", row), links("high", "=", row)]);

interface Part {
  readonly records: readonly ScannedRecord[];
  readonly brokenLines: number;
  readonly end: number;
}

function* readParts(path: string, fromOffset: number): Generator<Part> {
  let records: ScannedRecord[] = [];
  let [start, brokenLines] = [fromOffset, 0];
  const scan = scanFile(path, { fromOffset, blockBytes: 256 * 1024 });
  try {
    for (;;) {
      const { value, done } = scan.next();
      if (done) {
        if (value > start) yield { records, brokenLines, end: value };
        return;
      }
      const entry: ScannedRecord | ScannedDamage = value;
      if (entry.type === "record") records.push(entry);
      else brokenLines += 1;
      const end = entry.offset + entry.lengthBytes;
      if (end - start < PART_BYTES && records.length < PART_RECORDS) continue;
      yield { records, brokenLines, end };
      [records, start, brokenLines] = [[], end, 0];
    }
  } finally {
    scan.return(0);
  }
}

async function writePart(intake: Intake, file: IntakeFile, row: FileRow, part: Part): Promise<FileRow> {
  const kept = await keep(file, row, part.end);
  const next: FileRow = {
    ...addFacts(kept, part.records),
    brokenLines: row.brokenLines + part.brokenLines,
    offset: part.end,
    ...readMarks(file.source, part.end),
    // Until the end is reached nobody may take the file for read.
    modifiedAtNs: "",
    isDirty: 1,
  };
  await intake.db.transaction().execute(async (db) => {
    await writeRecords({ db, fileRow: row.row, prices: intake.prices }, part.records);
    await updateRow(db, next);
  });
  const lines = part.records.length + part.brokenLines;
  intake.onRead({ bytes: part.end - row.offset, lines, brokenLines: part.brokenLines });
  return next;
}

/** Notes that the file was read to its end as it was when it was listed: what came since changes its time or size. */
async function finish(intake: Intake, file: IntakeFile, row: FileRow): Promise<void> {
  const { identity, sizeBytes, modifiedAtNs } = file.listed;
  const kept = await keep(file, row, row.offset);
  const isDirty = row.isDirty === 1 || row.sizeBytes !== sizeBytes || row.isPurged === 1 ? 1 : 0;
  await updateRow(intake.db, { ...kept, identity, sizeBytes, modifiedAtNs, isDirty, isPurged: 0 });
}

async function updateRow(db: IndexDatabase, { row, ...values }: FileRow): Promise<void> {
  await db.updateTable("files").set(values).where("row", "=", row).execute();
}

async function keep({ source, copy }: IntakeFile, row: FileRow, offset: number): Promise<FileRow> {
  return copy === undefined || offset === 0 ? row : { ...row, ...(await keepUpTo(source, copy, row, offset)) };
}
