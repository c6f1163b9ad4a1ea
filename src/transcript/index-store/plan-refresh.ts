import { sep } from "node:path";
import { hasMarks } from "./file-marks.ts";
import type { FileRow } from "./file-row.ts";
import { isRecorded, type IndexSetting } from "./index-setting.ts";
import { listFiles, type FileListing, type ListedFile } from "./list-files.ts";

/** A file that may have something new, and what is known of it. */
export interface PlannedFile {
  readonly listed: ListedFile;
  readonly known: FileRow | undefined;
}

/** What a refresh has to do. */
export interface RefreshPlan {
  readonly listing: FileListing;
  /** The oldest first, so that what is newest is also the last that was written. */
  readonly files: readonly PlannedFile[];
  /** Files that are known and are no longer there. */
  readonly gone: readonly FileRow[];
  readonly purged: number;
  /** Whether another refresh was ended before it summed up the sessions. */
  readonly hasDirty: boolean;
}

/** Compares what lies on the disk with what the index has read. No file is opened. */
export async function planRefresh(setting: IndexSetting): Promise<RefreshPlan> {
  const { db, base, recorded } = setting;
  const listing = await listFiles(recorded === undefined ? [base] : [base, recorded]);
  const rows = await db.selectFrom("files").selectAll().execute();
  const known = new Map(rows.map((row) => [row.path, row]));
  const listed = new Set(listing.files.map(({ path }) => path));
  const files = listing.files
    .map((file): PlannedFile => ({ listed: file, known: known.get(file.path) }))
    .filter((file) => !isUpToDate(file, setting))
    .toSorted((left, right) => compare(left.listed.modifiedAtNs, right.listed.modifiedAtNs));
  const gone = rows.filter(({ path }) => !listed.has(path) && !isBelowSkipped(path, listing));
  return {
    listing,
    files,
    gone: gone.filter(({ isPurged }) => isPurged === 0),
    purged: gone.length,
    hasDirty: rows.some(({ isDirty }) => isDirty === 1),
  };
}

/** Whether a file is not the one that was read: it has become shorter, lies elsewhere on the disk, or begins otherwise. */
export function isReplaced({ listed, known }: PlannedFile): boolean {
  if (known === undefined || known.offset === 0) return false;
  if (known.identity !== listed.identity || listed.sizeBytes < known.offset) return true;
  return !hasMarks(listed.path, known.offset, known);
}

function isUpToDate({ listed, known }: PlannedFile, setting: IndexSetting): boolean {
  const isKept = setting.keepTranscripts && !isRecorded(setting, listed.path);
  return (
    known !== undefined &&
    known.isPurged === 0 &&
    known.identity === listed.identity &&
    known.sizeBytes === listed.sizeBytes &&
    known.modifiedAtNs === listed.modifiedAtNs &&
    (!isKept || known.keptRawBytes >= known.offset)
  );
}

/** Of what lies in a folder that cannot be read nobody knows whether it is gone. */
function isBelowSkipped(path: string, { skipped }: FileListing): boolean {
  return skipped.some((place) => path === place.path || path.startsWith(place.path + sep));
}

/** Times in nanoseconds are text with equally many digits, but for files from before 2001. */
function compare(left: string, right: string): number {
  return left.length - right.length || (left < right ? -1 : left > right ? 1 : 0);
}
