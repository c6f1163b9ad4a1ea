import { basename } from "node:path";
import { isTitle } from "../records/session-title.ts";
import type { ScannedRecord } from "../scan/scan-file.ts";
import { createRows } from "./columns.ts";
import { createFacts } from "./file-facts.ts";
import {
  CALLS,
  FAILED,
  type FileDigest,
  type FileFacts,
  KINDS,
  type MessageKind,
  MESSAGES,
  SIDECHAIN,
  SUCCEEDED,
} from "./file-digest.ts";
import { createIdTable, hashText, type IdHash, NOT_FOUND, NO_ID } from "./id-table.ts";
import { createUsageRows } from "./usage-rows.ts";
import type { SaidFacts } from "./file-facts.ts";

/** The place of a file and how far it was read: what its records do not say. */
export type ReadPlace = Omit<FileFacts, keyof SaidFacts>;

export interface BuiltFile {
  readonly path: string;
  readonly folder: string;
  /** Of a sub-agent's file in a session's own folder: that session. */
  readonly parentSessionId: string | undefined;
  /** How much of it is about to be read: tables are made with room for as many rows as that has mostly. */
  readonly bytesAhead?: number;
}

/** A record has about so many bytes; calls and responses are half as many. */
const RECORD_BYTES = 2048;
const MOST_EXPECTED = 16_384;

export type DigestBuilder = ReturnType<typeof createDigestBuilder>;

/** Puts a digest together record by record, or goes on with one. Reading a file in two parts or at once comes to the same. */
export function createDigestBuilder(file: BuiltFile, before?: FileDigest) {
  const facts = createFacts({ ...file, ownName: basename(file.path, ".jsonl") }, before?.facts);
  const expected = Math.ceil(Math.min(MOST_EXPECTED, 16 + (file.bytesAhead ?? 0) / RECORD_BYTES));
  const usage = createUsageRows(facts.numberOf, before?.usage, expected >> 1);
  const calls = createCalls(facts.numberOf, before?.calls, expected >> 1);
  const messages = createMessages(before?.messages, expected);
  const builder = {
    facts,
    addBroken(): void {
      facts.sawLine();
      facts.sawBroken();
    },
    addMessage: messages.add,
    startCall: calls.start,
    finishCall: calls.finish,
    addUsage: usage.add,
    /** Takes in a record that was parsed as a whole. */
    addRecord(record: ScannedRecord): void {
      facts.sawLine();
      if (record.sessionId !== undefined) facts.sawSession(record.sessionId);
      if (record.version !== undefined) facts.sawVersion(record.version);
      if (record.cwd !== undefined) facts.sawDirectory(record.cwd);
      facts.sawText(record);
      const timestampMs = Date.parse(record.timestamp ?? "");
      const kind = kindOf(record);
      const id = hashOf(record.messageId);
      if (kind !== undefined) messages.add(kind, record.isSidechain, hashOf(record.uuid), id, timestampMs);
      for (const [index, call] of record.toolUses.entries()) {
        calls.start(hashText(call.id), call.name, id, record.offset + index, timestampMs);
      }
      for (const result of record.toolResults) {
        calls.finish(hashText(result.toolUseId), result.isError, timestampMs);
      }
      if (record.usage !== undefined) usage.add(record.usage, hashText(record.usage.messageId), timestampMs);
    },
    finish: (place: ReadPlace): FileDigest => ({
      facts: { ...place, ...facts.finish() },
      messages: messages.rows.finish(),
      calls: calls.rows.finish(),
      usage: usage.finish(),
    }),
  };
  return builder;
}

/** What a record with words is; undefined of one without any. */
export function kindOf(record: ScannedRecord): MessageKind | undefined {
  if (record.recordType === "assistant") return "answer";
  if (record.recordType === "user") return record.isPrompt ? "prompt" : record.toolResults.length > 0 ? "tool" : "meta";
  if (record.recordType === "system" && record.text !== "") return "system";
  return isTitle(record) ? "title" : undefined;
}

function hashOf(text: string | undefined): Readonly<IdHash> {
  return text === undefined ? NO_ID : hashText(text);
}

function createMessages(before: FileDigest["messages"] | undefined, expected: number) {
  const rows = createRows(MESSAGES, before, expected);
  const uuids = createIdTable(rows.length + expected);
  for (let row = 0; row < rows.length; row += 1) {
    uuids.add(rows.columns.uuidLow[row] as number, rows.columns.uuidHigh[row] as number);
  }
  return {
    rows,
    /** The first record with a uuid counts. */
    add(kind: MessageKind, isSidechain: boolean, uuid: Readonly<IdHash>, id: Readonly<IdHash>, timestampMs: number) {
      const { size } = uuids;
      if (uuid.low !== 0 && uuids.add(uuid.low, uuid.high) < size) return;
      const row = rows.next();
      const { columns } = rows;
      columns.uuidLow[row] = uuid.low;
      columns.uuidHigh[row] = uuid.high;
      columns.idLow[row] = id.low;
      columns.idHigh[row] = id.high;
      columns.timestampMs[row] = timestampMs;
      columns.flags[row] = KINDS.indexOf(kind) | (isSidechain ? SIDECHAIN : 0);
    },
  };
}

function createCalls(numberOf: (name: string) => number, before: FileDigest["calls"] | undefined, expected: number) {
  const rows = createRows(CALLS, before, expected);
  const ids = createIdTable(rows.length + expected);
  for (let row = 0; row < rows.length; row += 1) {
    ids.add(rows.columns.idLow[row] as number, rows.columns.idHigh[row] as number);
  }
  return {
    rows,
    /** A response over several lines may repeat a call: the first is the one. */
    start(id: Readonly<IdHash>, name: string, message: Readonly<IdHash>, position: number, timestampMs: number): void {
      const { size } = ids;
      if (ids.add(id.low, id.high) < size) return;
      const row = rows.next();
      const { columns } = rows;
      columns.idLow[row] = id.low;
      columns.idHigh[row] = id.high;
      columns.messageLow[row] = message.low;
      columns.messageHigh[row] = message.high;
      columns.name[row] = numberOf(name);
      columns.position[row] = position;
      columns.startedAtMs[row] = timestampMs;
      columns.endedAtMs[row] = Number.NaN;
    },
    finish(id: Readonly<IdHash>, isError: boolean, timestampMs: number): void {
      const row = ids.find(id.low, id.high);
      if (row === NOT_FOUND) return;
      rows.columns.endedAtMs[row] = timestampMs;
      rows.columns.outcome[row] = isError ? FAILED : SUCCEEDED;
    },
  };
}
