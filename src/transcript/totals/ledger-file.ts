import { readFileSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { createId, parseJson, PRIVATE_FILE } from "../../core/internal.ts";
import { isObject } from "../records/content.ts";
import { columnAt, mapShape, paddedBytes, type Shape } from "../digest/columns.ts";
import type { FileFacts } from "../digest/file-digest.ts";
import { type Ledger, type LedgerFile, type RowRange, TABLE_NAMES, type TableName, TABLES } from "./ledger.ts";

/** A ledger, and what its file says beside it. */
export interface StoredLedger {
  readonly ledger: Ledger;
  /** Whether the copies of transcripts that are gone have been read. */
  readonly hasCopies: boolean;
}

/** What the file begins with; the last byte is the version of all that follows. Another one is not read. */
const MAGIC = Buffer.from([0x53, 0x4b, 0x54, 0x4f, 0x54, 0x41, 0x4c, 1]);
/** After it, as this machine writes numbers: one that shows their order of bytes, the checksum of all that follows it, the header's length. */
const PREFIX_BYTES = 24;
const SUMMED_FROM = 16;
const BYTE_ORDER = 0x01020304;

/** One entry a file, with the number of its rows in each table. */
interface Header {
  readonly hasCopies: boolean;
  readonly files: readonly (readonly [facts: FileFacts, ...rows: number[]])[];
}

/** Reads a ledger; undefined where there is none, or where it is damaged, of another version or machine: it is made anew then. */
export function readLedger(path: string): StoredLedger | undefined {
  try {
    return parseLedger(readFileSync(path));
  } catch {
    return undefined;
  }
}

/** Replaces the file at once, so that who reads it meanwhile has the one before or this one. */
export async function writeLedger(path: string, stored: StoredLedger): Promise<void> {
  const own = `${path}.${createId()}.tmp`;
  try {
    await writeFile(own, formatLedger(stored), { mode: PRIVATE_FILE, flag: "wx" });
    await rename(own, path);
  } catch (error) {
    await rm(own, { force: true }).catch(() => undefined);
    throw error;
  }
}

function parseLedger(read: Buffer): StoredLedger | undefined {
  if (read.length < PREFIX_BYTES || !read.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  // Numbers of eight bytes must begin at a multiple of eight.
  const bytes = read.byteOffset % 8 === 0 ? read : Buffer.from(Uint8Array.from(read).buffer);
  const [order, checksum, headerBytes] = new Uint32Array(bytes.buffer, bytes.byteOffset + MAGIC.length, 3);
  if (order !== BYTE_ORDER || crc32(bytes.subarray(SUMMED_FROM)) !== checksum) return undefined;
  const header = parseJson(bytes.toString("utf8", PREFIX_BYTES, PREFIX_BYTES + (headerBytes ?? 0)));
  return isObject(header)
    ? placeTables(bytes, PREFIX_BYTES + padded(headerBytes ?? 0), header as unknown as Header)
    : undefined;
}

function placeTables(bytes: Buffer, start: number, { files, hasCopies }: Header): StoredLedger {
  const rows = { messages: 0, calls: 0, usage: 0 };
  const placed = files.map(([facts, ...counts]): LedgerFile => {
    const [messages = 0, calls = 0, usage = 0] = counts;
    return {
      facts,
      messages: range(rows, "messages", messages),
      calls: range(rows, "calls", calls),
      usage: range(rows, "usage", usage),
    };
  });
  let at = bytes.byteOffset + start;
  const tableOf = (name: TableName): unknown =>
    mapShape<Shape>(TABLES[name], (_column, kind) => {
      const column = columnAt(kind, bytes.buffer as ArrayBuffer, at, rows[name]);
      at += paddedBytes(kind, rows[name]);
      return column;
    });
  const tables = Object.fromEntries(TABLE_NAMES.map((name) => [name, tableOf(name)]));
  return { ledger: { files: placed, ...(tables as unknown as Pick<Ledger, TableName>) }, hasCopies };
}

function range(rows: Record<TableName, number>, name: TableName, count: number): RowRange {
  const start = rows[name];
  rows[name] += count;
  return { start, end: rows[name] };
}

function formatLedger({ ledger, hasCopies }: StoredLedger): Buffer {
  const files = ledger.files.map((file): Header["files"][number] => {
    return [file.facts, ...TABLE_NAMES.map((name) => file[name].end - file[name].start)];
  });
  const header = Buffer.from(JSON.stringify({ hasCopies, files } satisfies Header));
  const parts: Uint8Array[] = [Buffer.alloc(PREFIX_BYTES), header, Buffer.alloc(padded(header.length) - header.length)];
  for (const name of TABLE_NAMES) {
    for (const [column, numbers] of Object.entries(ledger[name])) {
      const kind = (TABLES[name] as Shape)[column] as Shape[string];
      parts.push(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength));
      parts.push(Buffer.alloc(paddedBytes(kind, numbers.length) - numbers.byteLength));
    }
  }
  const bytes = Buffer.concat(parts);
  MAGIC.copy(bytes);
  const numbers = new Uint32Array([BYTE_ORDER, 0, header.length]);
  bytes.set(new Uint8Array(numbers.buffer), MAGIC.length);
  numbers[1] = crc32(bytes.subarray(SUMMED_FROM));
  bytes.set(new Uint8Array(numbers.buffer), MAGIC.length);
  return bytes;
}

function padded(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}
