import type { FileFacts } from "../digest/file-digest.ts";
import type { FileRow } from "./schema.ts";
import type { MissingWords } from "./transcript-index.ts";

/** A file of which words are missing. */
export interface WordJob {
  readonly facts: FileFacts;
  readonly known: FileRow | undefined;
  /** Where to go on, if the file is still the one that is known. */
  readonly from: number;
}

/** What an index lacks of what the totals know, and what it has too much. */
export interface WordPlan {
  readonly jobs: readonly WordJob[];
  /** Files that the totals do not know: they were recorded and their conversation was deleted, or nothing is known of them any more. */
  readonly gone: readonly FileRow[];
}

/** Compares an index with what the totals know. No file is looked at, but for copies. */
export function planWords(
  rows: readonly FileRow[],
  files: readonly { readonly facts: FileFacts }[],
  hasCopy: (facts: FileFacts) => boolean,
): WordPlan {
  const known = new Map(rows.map((row) => [row.path, row]));
  const jobs: WordJob[] = [];
  for (const { facts } of files) {
    const row = known.get(facts.path);
    known.delete(facts.path);
    if (facts.offset === 0 ? row === undefined : isTakenIn(facts, row)) continue;
    // What is gone and was not kept stays as it is.
    if (facts.isPurged && !hasCopy(facts)) continue;
    jobs.push({ facts, known: row, from: row !== undefined && goesOn(facts, row) ? row.offset : 0 });
  }
  return { jobs, gone: [...known.values()] };
}

export function missingOf({ jobs }: WordPlan): MissingWords {
  return { files: jobs.length, bytes: jobs.reduce((sum, { facts, from }) => sum + facts.offset - from, 0) };
}

function isTakenIn(facts: FileFacts, row: FileRow | undefined): boolean {
  return row !== undefined && row.offset === facts.offset && isAsNoted(facts, row);
}

function isAsNoted(facts: FileFacts, row: FileRow): boolean {
  return (
    facts.identity === row.identity &&
    facts.sizeBytes === row.sizeBytes &&
    facts.modifiedAtNs === row.modifiedAtNs &&
    facts.changedAtNs === row.changedAtNs
  );
}

/** By the rule of the totals: only a file that has grown, and is otherwise as it was, is read on. */
function goesOn(facts: FileFacts, row: FileRow): boolean {
  if (isAsNoted(facts, row)) return true;
  return facts.identity === row.identity && row.sizeBytes < facts.sizeBytes && row.markedOffset <= facts.offset;
}
