import { projectFolderName } from "../../core/internal.ts";
import { createHash } from "node:crypto";
import { basename } from "node:path";
import { isCommandText, spokenText } from "../records/content.ts";
import { isTitle } from "../records/session-title.ts";
import type { ScannedRecord } from "../scan/scan-file.ts";
import { readRange } from "../read/read-bytes.ts";
import type { ListedFile } from "./list-files.ts";
import type { FileRow } from "./schema.ts";

export function newFileRow(file: ListedFile): Omit<FileRow, "row"> {
  return {
    path: file.path,
    folder: file.folder,
    sessionId: file.parentSessionId ?? null,
    sessionIds: "[]",
    isSubagent: file.isSubagent ? 1 : 0,
    identity: file.identity,
    sizeBytes: 0,
    modifiedAtNs: "",
    offset: 0,
    headBytes: 0,
    headHash: "",
    edgeHash: "",
    brokenLines: 0,
    title: null,
    isTitleGiven: 0,
    firstPrompt: null,
    cwd: null,
    versions: "[]",
    isPurged: 0,
    isDirty: 1,
    keptRawBytes: 0,
    keptBytes: 0,
    keptLastBlock: 0,
    logicalId: null,
  };
}

/** A first prompt is shown on one line: more of it would only fill the table. */
const PROMPT_CHARACTERS = 1000;

/** What records add to what is known of their file. Reading them in two parts or at once comes to the same. */
export function addFacts(row: FileRow, records: readonly ScannedRecord[]): FileRow {
  const sessionIds = new Set(JSON.parse(row.sessionIds) as string[]);
  const versions = new Set(JSON.parse(row.versions) as string[]);
  let { sessionId, title, isTitleGiven, firstPrompt, cwd } = row;
  const ownName = basename(row.path, ".jsonl");
  for (const record of records) {
    if (record.sessionId !== undefined) {
      sessionIds.add(record.sessionId);
      // A file that was resumed by copying begins with the records of another session.
      if (sessionId === null || record.sessionId === ownName) sessionId = record.sessionId;
    }
    if (record.version !== undefined) versions.add(record.version);
    if (isTitle(record, isTitleGiven === 1)) {
      title = record.text;
      isTitleGiven = record.recordType === "custom-title" ? 1 : 0;
    }
    if (isSaid(record)) firstPrompt ??= spokenText(record.text).slice(0, PROMPT_CHARACTERS);
    cwd = betterCwd(cwd, record.cwd, row.folder);
  }
  const lists = { sessionIds: JSON.stringify([...sessionIds]), versions: JSON.stringify([...versions]) };
  return { ...row, ...lists, sessionId, title, isTitleGiven, firstPrompt, cwd };
}

/** A slash command, such as `/clear`, says nothing of what a session is about. */
function isSaid({ isPrompt, isSidechain, text }: ScannedRecord): boolean {
  return isPrompt && !isSidechain && !isCommandText(text);
}

/** An agent may have changed its directory: the one that the folder is named after is the project's. */
function betterCwd(known: string | null, next: string | undefined, folder: string): string | null {
  if (next === undefined || next === known) return known;
  if (known === null) return next;
  return projectFolderName(known) !== folder && projectFolderName(next) === folder ? next : known;
}

/** Enough to hold the first record's id, which no two files share. */
const HEAD_BYTES = 4096;
const EDGE_BYTES = 256;

/** Whether a file still begins as it did, and still has the same bytes before the offset. */
export function hasMarks(path: string, { offset, headBytes, headHash, edgeHash }: FileRow): boolean {
  const now = readMarks(path, offset, headBytes);
  return now.headHash === headHash && now.edgeHash === edgeHash;
}

/** By what a file is known again: its first bytes, and those before the place up to which it was read. */
export function readMarks(path: string, offset: number, headBytes = Math.min(offset, HEAD_BYTES)) {
  const edgeBytes = Math.min(offset, EDGE_BYTES);
  const headHash = hash(readRange(path, 0, headBytes));
  return { headBytes, headHash, edgeHash: hash(readRange(path, offset - edgeBytes, edgeBytes)) };
}

function hash(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
}
