import { segmentText, type SqliteStatement } from "../../database/index.ts";
import type { FileFacts } from "../digest/file-digest.ts";
import type { WordRecord } from "./words-of-file.ts";

export type WordWriter = ReturnType<typeof createWordWriter>;

const INSERT_FILE = `insert into files
  (identity, sizeBytes, modifiedAtNs, changedAtNs, markedOffset, headBytes, headHash, edgeHash, offset, path, row)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const UPDATE_FILE = `update files set identity = ?, sizeBytes = ?, modifiedAtNs = ?, changedAtNs = ?,
  markedOffset = ?, headBytes = ?, headHash = ?, edgeHash = ?, offset = ? where path = ? and row = ?`;
const MESSAGE = `insert into messages (row, fileRow, offset, lengthBytes, kind, uuid, agentId, timestampMs)
  values (?, ?, ?, ?, ?, ?, ?, ?)`;

/** The statements of an index, in one transaction. FTS5 gathers words in memory only until a statement that may have to be taken back by itself, such as one with `returning`. */
export function createWordWriter(prepare: (sql: string) => SqliteStatement) {
  const insertFile = prepare(INSERT_FILE);
  const updateFile = prepare(UPDATE_FILE);
  const offset = prepare("update files set offset = ? where row = ?");
  const message = prepare(MESSAGE);
  const words = prepare("insert into words (rowid, said, thinking, tools) values (?, ?, ?, ?)");
  const forgetWords = prepare("delete from words where rowid in (select row from messages where fileRow = ?)");
  const forgetMessages = prepare("delete from messages where fileRow = ?");
  const forgetFile = prepare("delete from files where row = ?");
  const forget = (fileRow: number): void => {
    forgetWords.run(fileRow);
    forgetMessages.run(fileRow);
  };
  return {
    /** Notes what a file is, and that its words are taken in up to a byte. */
    noteFile(
      fileRow: number,
      facts: FileFacts,
      { upTo, isKnown }: { readonly upTo: number; readonly isKnown: boolean },
    ) {
      const { path, identity, sizeBytes, modifiedAtNs, changedAtNs, headBytes, headHash, edgeHash } = facts;
      const times = [modifiedAtNs, changedAtNs];
      const marks = [facts.offset, headBytes, headHash, edgeHash];
      (isKnown ? updateFile : insertFile).run(identity, sizeBytes, ...times, ...marks, upTo, path, fileRow);
    },
    moveFile: (fileRow: number, upTo: number): void => void offset.run(upTo, fileRow),
    addRecord(row: number, fileRow: number, { record, kind, texts }: WordRecord): void {
      const { lengthBytes, uuid = null, agentId = null } = record;
      const moment = Date.parse(record.timestamp ?? "");
      const timestampMs = Number.isNaN(moment) ? null : moment;
      message.run(row, fileRow, record.offset, lengthBytes, kind, uuid, agentId, timestampMs);
      words.run(row, segmentText(texts.said), segmentText(texts.thinking), segmentText(texts.tools));
    },
    /** Takes out the words of a file that is no longer the one that was read. */
    forget,
    forgetFile(fileRow: number): void {
      forget(fileRow);
      forgetFile.run(fileRow);
    },
  };
}
