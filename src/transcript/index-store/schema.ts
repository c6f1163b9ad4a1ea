import type { Generated, Kysely, Selectable } from "kysely";
import type { TokenUsage } from "../usage/usage-line.ts";
import type { UsageSums } from "./sql-parts.ts";
import type { IndexedSession } from "./transcript-index.ts";

/** A file and how far it has been read. */
interface FileTable {
  readonly row: Generated<number>;
  readonly path: string;
  readonly folder: string;
  readonly sessionId: string | null;
  readonly sessionIds: string;
  readonly isSubagent: number;
  readonly identity: string;
  readonly sizeBytes: number;
  /** In nanoseconds, as text; empty while the file has not been read to its end. */
  readonly modifiedAtNs: string;
  readonly offset: number;
  /** Hashes of the first bytes and of those before `offset`: where they differ, the file was written anew. */
  readonly headBytes: number;
  readonly headHash: string;
  readonly edgeHash: string;
  readonly brokenLines: number;
  readonly title: string | null;
  readonly isTitleGiven: number;
  readonly firstPrompt: string | null;
  readonly cwd: string | null;
  readonly versions: string;
  readonly isPurged: number;
  /** Whether the session it belongs to has not been summed up since it was read. */
  readonly isDirty: number;
  readonly keptRawBytes: number;
  readonly keptBytes: number;
  readonly keptLastBlock: number;
  readonly logicalId: string | null;
}

/** What a record with words is: someone asked, the model answered, a tool gave its result, the CLI said something. */
export type MessageKind = "prompt" | "answer" | "tool" | "meta" | "system" | "title";

/** What a file says of the usage of a response: part 0, and what advisors used within it, from 1 on. */
interface UsageTable extends TokenUsage {
  readonly fileRow: number;
  readonly messageId: string;
  readonly part: number;
  readonly model: string;
  readonly isFast: number;
  readonly isUsOnly: number;
  readonly recordedCostUsd: number | null;
  /** Null where the model has no price. */
  readonly costUsd: number | null;
}

type Counts = "id" | "prompts" | "messages" | "subagents" | "toolCalls" | "toolErrors" | "sizeBytes";

export interface SessionTable extends UsageSums, Pick<IndexedSession, Counts> {
  readonly sessionIds: string;
  readonly project: string | null;
  readonly projectName: string | null;
  readonly folder: string;
  readonly title: string | null;
  readonly firstPrompt: string | null;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly tools: string;
  readonly models: string;
  readonly versions: string;
  readonly isPurged: number;
}

/**
 * The tables of the index, with the columns that are not only met in SQL: the whole schema is below. `isCopy` says that another
 * file, first by its path, has the record too. `words` is the full text of `messages`, without the text itself: that stays in the files.
 */
export interface TranscriptTables {
  readonly files: FileTable;
  readonly messages: { readonly fileRow: number; readonly uuid: string | null };
  readonly toolCalls: { readonly fileRow: number };
  readonly usage: UsageTable;
  readonly links: { readonly low: number; readonly high: number };
  readonly sessions: SessionTable;
  /** Titles that early versions wrote, of the session that has the record `leafUuid`, mostly in another file. */
  readonly summaries: { readonly fileRow: number; readonly leafUuid: string; readonly title: string };
  readonly notes: { readonly name: string; readonly value: string };
}

export type IndexDatabase = Kysely<TranscriptTables>;

export type FileRow = Selectable<FileTable>;

const TOKENS = `
    inputTokens integer not null,
    outputTokens integer not null,
    cacheReadTokens integer not null,
    cacheWriteTokens integer not null,
    cacheWrite5mTokens integer not null,
    cacheWrite1hTokens integer not null,
    webSearches integer not null`;

/** The schema, version by version. A script that was released is never changed. */
export const MIGRATIONS: readonly string[] = [
  `
  create table files (
    row integer primary key,
    path text not null unique,
    folder text not null,
    sessionId text,
    sessionIds text not null,
    isSubagent integer not null,
    identity text not null,
    sizeBytes integer not null,
    modifiedAtNs text not null,
    offset integer not null,
    headBytes integer not null,
    headHash text not null,
    edgeHash text not null,
    brokenLines integer not null,
    title text,
    isTitleGiven integer not null,
    firstPrompt text,
    cwd text,
    versions text not null,
    isPurged integer not null,
    isDirty integer not null,
    keptRawBytes integer not null,
    keptBytes integer not null,
    keptLastBlock integer not null,
    logicalId text
  ) strict;
  create index filesByLogicalId on files (logicalId);
  create index filesDirty on files (row) where isDirty = 1;

  create table messages (
    row integer primary key,
    fileRow integer not null references files (row) on delete cascade,
    offset integer not null,
    lengthBytes integer not null,
    uuid text,
    kind text not null,
    messageId text,
    agentId text,
    isSidechain integer not null,
    timestampMs integer,
    isCopy integer not null
  ) strict;
  create unique index messagesByUuid on messages (uuid, fileRow);
  create index messagesByFile on messages (fileRow, kind);
  create virtual table words using fts5 (
    said, thinking, tools, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
  );
  create trigger messageRemoved after delete on messages begin
    delete from words where rowid = old.row;
  end;

  create table toolCalls (
    fileRow integer not null references files (row) on delete cascade,
    id text not null,
    name text not null,
    messageId text,
    position integer not null,
    startedAtMs integer,
    endedAtMs integer,
    isError integer,
    isCopy integer not null,
    primary key (fileRow, id)
  ) strict, without rowid;
  create index toolCallsById on toolCalls (id);

  create table usage (
    fileRow integer not null references files (row) on delete cascade,
    messageId text not null,
    part integer not null,
    model text not null,${TOKENS},
    isFinal integer not null,
    isFast integer not null,
    isUsOnly integer not null,
    recordedCostUsd real,
    costUsd real,
    timestampMs integer,
    isCopy integer not null,
    primary key (fileRow, messageId, part)
  ) strict, without rowid;
  create index usageByMessage on usage (messageId);

  create table links (
    low integer not null references files (row) on delete cascade,
    high integer not null references files (row) on delete cascade,
    primary key (low, high)
  ) strict, without rowid;
  create index linksByHigh on links (high);

  create table sessions (
    id text primary key,
    sessionIds text not null,
    project text,
    projectName text,
    folder text not null,
    title text,
    firstPrompt text,
    startedAtMs integer,
    endedAtMs integer,
    prompts integer not null,
    messages integer not null,
    subagents integer not null,
    toolCalls integer not null,
    toolErrors integer not null,
    tools text not null,
    models text not null,
    versions text not null,
    sizeBytes integer not null,
    isPurged integer not null,${TOKENS},
    costUsd real not null,
    responses integer not null,
    lowerBounds integer not null,
    unpriced integer not null
  ) strict, without rowid;
  create index sessionsByEnd on sessions (endedAtMs);

  create table notes (name text primary key, value text not null) strict, without rowid;
  `,
  // What can be read again is: records at the end of files were left out, and words of languages without spaces not taken
  // apart. Of files that are gone and were not kept, what is known stays.
  `
  create table summaries (
    fileRow integer not null references files (row) on delete cascade,
    leafUuid text not null,
    title text not null,
    primary key (leafUuid, fileRow)
  ) strict, without rowid;
  create index summariesByFile on summaries (fileRow);
  delete from files where isPurged = 0 or (offset > 0 and keptRawBytes >= offset);
  update files set isDirty = 1;
  delete from notes where name = 'kept transcripts were looked through';
  `,
  // What the offline model said is told apart by its ids, so sessions are only summed up again.
  `
  alter table sessions add column offlineCostUsd real not null default 0;
  update files set isDirty = 1;
  `,
];
