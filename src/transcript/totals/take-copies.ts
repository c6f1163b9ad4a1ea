import { existsSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { SkeinError } from "../../core/internal.ts";
import { copyPath, type CopyPlace, isKeeping, keepFile, listCopies, readCopies } from "../copies/copies.ts";
import { measureKept, unpackKept } from "../copies/kept-file.ts";
import type { IndexedFile, IndexedSession } from "./transcript-totals.ts";
import { isUnreadable, throwIfCancelled, toSkipped, type SkippedPath } from "../problem.ts";
import type { FileDigest, FileFacts } from "../digest/file-digest.ts";
import { readDigest } from "../digest/read-digest.ts";
import { createLineScanner } from "../scan/line-scanner.ts";
import type { FileRead, RefreshedLedger } from "./refresh-ledger.ts";

export interface CopySetting extends CopyPlace {
  /** A second folder of transcripts, of copies that can be made again: nothing of it is kept. */
  readonly recorded: string | undefined;
  /** Whether copies are kept; where it is not said, the setting in the folder tells. */
  readonly keepTranscripts: boolean | undefined;
}

/** Reads the copies of transcripts that are gone and that nothing is known of: an earlier version kept them, or the ledger was lost. */
export async function takeCopies(
  setting: CopySetting,
  { ledger, listed }: RefreshedLedger,
  signal: AbortSignal | undefined,
): Promise<{ readonly digests: readonly FileDigest[]; readonly skipped: readonly SkippedPath[] }> {
  const known = new Set([...listed.map(({ path }) => path), ...ledger.files.map(({ facts }) => facts.path)]);
  const copies = (await listCopies(setting)).filter(({ path }) => !known.has(path));
  const digests: FileDigest[] = [];
  const scanner = createLineScanner(false);
  const read = (
    { parentSessionId, ...place }: Parameters<Parameters<typeof readCopies>[2]>[0],
    source: string,
  ): void => {
    const reading = readDigest(
      { place: { ...place, isPurged: true }, parentSessionId, before: undefined },
      scanner,
      source,
    );
    for (let next = reading.next(); ; next = reading.next()) {
      if (next.done) return void digests.push(next.value);
    }
  };
  return { skipped: await readCopies(setting, copies, read, signal), digests };
}

/** Brings the copies of files that were read up to them, where copies are kept; gives those that cannot be. */
export async function keepRead(
  setting: CopySetting,
  read: readonly FileRead[],
  signal: AbortSignal | undefined,
): Promise<readonly SkippedPath[]> {
  const skipped: SkippedPath[] = [];
  if (!(setting.keepTranscripts ?? isKeeping(setting.folder))) return skipped;
  for (const { facts } of read) {
    throwIfCancelled(signal, "Copying the transcripts");
    if (facts.offset === 0 || isRecorded(setting, facts.path)) continue;
    try {
      await keepFile(setting, facts.path, facts.offset);
    } catch (error) {
      // The numbers are right without it.
      if (!isUnreadable(error)) throw error;
      skipped.push(toSkipped(error.target ?? facts.path, error));
    }
  }
  return skipped;
}

export function isRecorded({ recorded }: CopySetting, path: string): boolean {
  return recorded !== undefined && path.startsWith(recorded + sep);
}

/** Whether there is a copy of all that was read of a file. */
export function hasCopy(setting: CopySetting, { path, offset }: FileFacts): boolean {
  if (offset === 0 || isRecorded(setting, path)) return false;
  const copy = copyPath(setting, path);
  return existsSync(copy) && measureKept(copy).keptRawBytes >= offset;
}

/** Writes the copies of a session's files that are gone into a folder: the others are where they were. */
export async function copyKept(
  setting: CopySetting,
  session: IndexedSession,
  folder: string,
): Promise<readonly string[]> {
  const purged = session.files.filter(({ isPurged }) => isPurged);
  const lost = purged.find(({ isKept }) => !isKept);
  if (lost !== undefined) {
    throw new SkeinError(`Claude Code has deleted the transcript, and no copy was kept: ${lost.path}`, {
      kind: "usage",
      target: lost.path,
      hint: "Its numbers are still known. `skein archive` keeps copies from now on",
    });
  }
  const targetOf = ({ path }: IndexedFile): string => join(folder, relative(setting.base, path));
  for (const file of purged) await unpackKept(copyPath(setting, file.path), targetOf(file));
  return purged.filter(({ isSubagent }) => !isSubagent).map(targetOf);
}
