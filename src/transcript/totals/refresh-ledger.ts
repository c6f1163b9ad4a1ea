import { sep } from "node:path";
import { type ListedFile, listFiles } from "../discover/list-files.ts";
import { isUnreadable, type SkippedPath } from "../problem.ts";
import { hasMarks } from "../read/file-marks.ts";
import type { FileFacts } from "../digest/file-digest.ts";
import { assembleLedger, digestOf, type Ledger, type LedgerFile, type LedgerPart } from "./ledger.ts";
import type { DigestJob } from "../digest/read-digest.ts";
import { readDigests } from "../digest/read-digests.ts";

/** How much of the history is read, while it is read. */
export interface ReadProgress {
  readonly files: number;
  readonly bytes: number;
  readonly bytesDone: number;
}

export interface RefreshLedgerOptions {
  readonly base: string;
  /** A second folder of transcripts, of copies that are made again: what is gone from it was deleted on purpose. */
  readonly recorded: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((progress: ReadProgress) => void) | undefined;
}

export interface FileRead {
  readonly facts: FileFacts;
  /** Whether it had been cut or written anew, and was read from its start. */
  readonly isReread: boolean;
  readonly bytes: number;
  readonly lines: number;
  readonly brokenLines: number;
}

/** A ledger that is up to date, and what that took. */
export interface RefreshedLedger {
  readonly ledger: Ledger;
  readonly listed: readonly ListedFile[];
  readonly skipped: readonly SkippedPath[];
  /** Files that were looked into. */
  readonly read: readonly FileRead[];
  readonly hasChanged: boolean;
}

/** Compares the files with what a ledger knows of them, and reads what is new. */
export async function refreshLedger(ledger: Ledger, options: RefreshLedgerOptions): Promise<RefreshedLedger> {
  const { base, recorded, signal, onProgress } = options;
  const listing = await listFiles(recorded === undefined ? [base] : [base, recorded]);
  const known = new Map(ledger.files.map((file) => [file.facts.path, file]));
  const asBefore = (file: LedgerFile): LedgerPart => ({ from: ledger, file, facts: file.facts });
  const parts: LedgerPart[] = [];
  const jobs: DigestJob[] = [];
  for (const listed of listing.files) {
    const file = known.get(listed.path);
    if (file !== undefined && isAsBefore(listed, file.facts)) parts.push(asBefore(file));
    else jobs.push(toJob(ledger, listed, file));
  }
  const listed = new Set(listing.files.map(({ path }) => path));
  const gone = ledger.files.filter(({ facts }) => !listed.has(facts.path) && !isBelow(facts.path, listing.skipped));
  const isStill = new Set([...listed, ...gone.map(({ facts }) => facts.path)]);
  parts.push(...ledger.files.filter(({ facts }) => !isStill.has(facts.path)).map(asBefore));
  parts.push(...gone.flatMap((file) => purgedPart(ledger, file, recorded) ?? []));
  const bytes = jobs.reduce((sum, { place, before }) => sum + place.sizeBytes - (before?.facts.offset ?? 0), 0);
  const onRead = (bytesDone: number): void =>
    onProgress?.({ files: jobs.length, bytes, bytesDone: Math.min(bytes, bytesDone) });
  const results = await readDigests(jobs, { signal, onRead });
  const read: FileRead[] = [];
  const skipped = [...listing.skipped];
  for (const [index, result] of results.entries()) {
    const { place, before } = jobs[index] as DigestJob;
    const file = known.get(place.path);
    if ("digest" in result) {
      parts.push(result.digest);
      const { facts } = result.digest;
      const bytesRead = facts.offset - (before?.facts.offset ?? 0);
      const isReread = before === undefined && (file?.facts.offset ?? 0) > 0;
      const lines = facts.lines - (before?.facts.lines ?? 0);
      const brokenLines = facts.brokenLines - (before?.facts.brokenLines ?? 0);
      read.push({ facts, isReread, bytes: bytesRead, lines, brokenLines });
    } else {
      skipped.push(result.skipped);
      if (file !== undefined) parts.push(asBefore(file));
    }
  }
  const hasChanged = read.length > 0 || gone.some(({ facts }) => !facts.isPurged);
  return { ledger: hasChanged ? assembleLedger(parts) : ledger, listed: listing.files, skipped, read, hasChanged };
}

/** Whether nothing was written to a file. The change time tells also where the other was set back. */
function isAsBefore(listed: ListedFile, facts: FileFacts): boolean {
  return (
    !facts.isPurged &&
    facts.identity === listed.identity &&
    facts.sizeBytes === listed.sizeBytes &&
    facts.modifiedAtNs === listed.modifiedAtNs &&
    facts.changedAtNs === listed.changedAtNs
  );
}

/** Only a file that has grown, and is otherwise as it was, is read on; one of the same size that was written to is another one. */
function toJob(ledger: Ledger, listed: ListedFile, file: LedgerFile | undefined): DigestJob {
  const { parentSessionId, ...place } = listed;
  const job = { place: { ...place, isPurged: false }, parentSessionId, before: undefined };
  if (file === undefined) return job;
  const { offset, identity, sizeBytes } = file.facts;
  if (offset === 0 || identity !== listed.identity || sizeBytes >= listed.sizeBytes) return job;
  try {
    return hasMarks(listed.path, file.facts) ? { ...job, before: digestOf(ledger, file) } : job;
  } catch (error) {
    // Reading it tells why.
    if (!isUnreadable(error)) throw error;
    return job;
  }
}

/** What Claude Code has deleted stays known, unless nothing was ever read of it. Undefined where it is to be forgotten. */
function purgedPart(ledger: Ledger, file: LedgerFile, recorded: string | undefined): LedgerPart | undefined {
  const { facts } = file;
  if (facts.offset === 0 || (recorded !== undefined && facts.path.startsWith(recorded + sep))) return undefined;
  return { from: ledger, file, facts: { ...facts, isPurged: true } };
}

/** Of what lies in a folder that cannot be read nobody knows whether it is gone. */
function isBelow(path: string, skipped: readonly SkippedPath[]): boolean {
  return skipped.some((place) => path === place.path || path.startsWith(place.path + sep));
}
