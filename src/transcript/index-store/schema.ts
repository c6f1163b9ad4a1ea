import type { Kysely, Selectable } from "kysely";
import type { RebuildableDatabase } from "../../database/index.ts";
import type { FileFacts, MessageKind } from "../digest/file-digest.ts";

/**
 * A file as it was when words of it were taken in, and how far they were. The marks, of the place up to which the totals had
 * read it by then, tell a file that goes on from one that was written anew: they are older than what was taken in.
 */
export interface FileTable extends Pick<FileFacts, "path" | "identity" | "sizeBytes" | "modifiedAtNs" | "changedAtNs"> {
  readonly row: number;
  readonly markedOffset: number;
  readonly headBytes: number;
  readonly headHash: string;
  readonly edgeHash: string;
  /** Up to here words are taken in. */
  readonly offset: number;
}

/** Where a record with words is, and what searches ask of it. */
interface MessageTable {
  readonly row: number;
  readonly fileRow: number;
  readonly offset: number;
  readonly lengthBytes: number;
  readonly kind: MessageKind;
  readonly uuid: string | null;
  readonly agentId: string | null;
  readonly timestampMs: number | null;
}

/** The tables of the index. `words` is the full text of `messages`, without the text itself: that stays in the files. */
export interface WordTables {
  readonly files: FileTable;
  readonly messages: MessageTable;
}

export type WordDatabase = Kysely<WordTables>;
export type WordStore = RebuildableDatabase<WordTables>;
export type FileRow = Selectable<FileTable>;

/** Words wait in memory for the end of a transaction: each time that they did not, the index would have a part more to be merged. */
const HASH_BYTES = 64 * 1024 * 1024;

/** A page of the full text fills one of the database's. */
const PAGE_BYTES = 16_000;
/** So many parts are merged at once: fewer are written more often, more are slower to search. */
const PARTS_MERGED = 8;

/** The schema, version by version. A script that was released is never changed. */
export const MIGRATIONS: readonly string[] = [
  `
  create table files (
    row integer primary key,
    path text not null unique,
    identity text not null,
    sizeBytes integer not null,
    modifiedAtNs text not null,
    changedAtNs text not null,
    markedOffset integer not null,
    headBytes integer not null,
    headHash text not null,
    edgeHash text not null,
    offset integer not null
  ) strict;
  create table messages (
    row integer primary key,
    fileRow integer not null,
    offset integer not null,
    lengthBytes integer not null,
    kind text not null,
    uuid text,
    agentId text,
    timestampMs integer
  ) strict;
  create index messagesByFile on messages (fileRow);
  create virtual table words using fts5 (
    said, thinking, tools, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
  );
  insert into words (words, rank) values ('hashsize', ${HASH_BYTES}), ('pgsz', ${PAGE_BYTES}), ('automerge', ${PARTS_MERGED});
  `,
];
