import { existsSync } from "node:fs";
import { setImmediate as nextTick } from "node:timers/promises";
import { copyPath, isKeeping, keepFile, setKeeping, sizeOfCopies } from "../copies/copies.ts";
import { measureKept } from "../copies/kept-file.ts";
import type { FileFacts } from "../digest/file-digest.ts";
import { isUnreadable, throwIfCancelled, toSkipped, type SkippedPath } from "../problem.ts";
import type { Ledger } from "./ledger.ts";
import { type CopySetting, isRecorded } from "./take-copies.ts";
import type { ArchiveOptions, ArchiveReport } from "./transcript-totals.ts";

/** Turns the keeping of copies on or off, brings the copies up to date where it is on, and says what they take. */
export async function archiveTranscripts(
  setting: CopySetting,
  ledger: Ledger,
  { isOn = true, signal, onProgress }: ArchiveOptions,
): Promise<ArchiveReport> {
  await setKeeping(setting.folder, isOn);
  const facts = ledger.files.map((file) => file.facts).filter((each) => isToKeep(setting, each));
  const wanted = isOn ? facts.filter((each) => lacksCopy(setting, each)) : [];
  const [files, bytes] = [wanted.length, sumOf(wanted)];
  const skipped: SkippedPath[] = [];
  let [filesDone, bytesDone] = [0, 0];
  for (const each of wanted) {
    throwIfCancelled(signal, "Copying the transcripts");
    try {
      await keepFile(setting, each.path, each.offset);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      skipped.push(toSkipped(error.target ?? each.path, error));
    }
    filesDone += 1;
    bytesDone += each.offset;
    onProgress?.({ files, filesDone, bytes, bytesDone });
    await nextTick();
  }
  return {
    isOn: isKeeping(setting.folder),
    transcripts: facts.length,
    transcriptBytes: sumOf(facts),
    copied: files - skipped.length,
    ...(await sizeOfCopies(setting)),
    skipped,
  };
}

function isToKeep(setting: CopySetting, { path, offset, isPurged }: FileFacts): boolean {
  return offset > 0 && !isPurged && !isRecorded(setting, path);
}

function lacksCopy(setting: CopySetting, { path, offset }: FileFacts): boolean {
  const copy = copyPath(setting, path);
  return !existsSync(copy) || measureKept(copy).keptRawBytes < offset;
}

function sumOf(files: readonly FileFacts[]): number {
  return files.reduce((sum, { offset }) => sum + offset, 0);
}
