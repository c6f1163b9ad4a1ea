import { projectFolderName } from "../../core/internal.ts";
import { basename } from "node:path";
import { isCommandText, spokenText } from "../records/content.ts";
import { isTitle } from "../records/session-title.ts";
import type { ScannedRecord } from "../scan/scan-file.ts";
import type { ListedFile } from "../discover/list-files.ts";
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
