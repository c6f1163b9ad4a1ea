import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import type { IndexEntry } from "./index-listing.ts";

/** Looks at an entry's file, where that is known to hold the entry's content; git then need not read it again. */
export type EntryStats = (entry: IndexEntry) => BigIntStats | undefined;

/**
 * Writes an index file. No plumbing command can make every kind of entry, intent-to-add ones least of all; the format is
 * fixed, and described in git's gitformat-index.
 */
export function formatIndex(entries: readonly IndexEntry[], statsOf: EntryStats = () => undefined): Buffer {
  const version = entries.some((entry) => extendedFlags(entry) !== 0) ? 3 : 2;
  const header = Buffer.alloc(12);
  header.write("DIRC", "latin1");
  header.writeUInt32BE(version, 4);
  header.writeUInt32BE(entries.length, 8);
  const body = Buffer.concat([header, ...entries.map((entry) => formatEntry(entry, statsOf(entry)))]);
  return Buffer.concat([body, createHash("sha1").update(body).digest()]);
}

function formatEntry(entry: IndexEntry, stats: BigIntStats | undefined): Buffer {
  const extended = extendedFlags(entry);
  const start = extended === 0 ? 62 : 64;
  // One to eight zero bytes end the path.
  const bytes = Buffer.alloc((start + entry.path.length + 8) & ~7);
  if (stats) writeStats(bytes, stats);
  bytes.writeUInt32BE(Number.parseInt(entry.mode, 8), 24);
  bytes.write(entry.oid, 40, "hex");
  const isAssumed = entry.letter !== entry.letter.toUpperCase();
  const flags = (isAssumed ? 0x8000 : 0) | (extended === 0 ? 0 : 0x4000) | (Number(entry.stage) << 12);
  bytes.writeUInt16BE(flags | Math.min(entry.path.length, 0xfff), 60);
  if (extended !== 0) bytes.writeUInt16BE(extended, 62);
  bytes.write(entry.path, start, "latin1");
  return bytes;
}

function extendedFlags({ letter }: IndexEntry): number {
  const kind = letter.toUpperCase();
  return kind === "S" ? 0x4000 : kind === "N" ? 0x2000 : 0;
}

/** Git keeps the low 32 bits of each number. */
function writeStats(bytes: Buffer, stats: BigIntStats): void {
  const { ctimeNs, mtimeNs, dev, ino, uid, gid, size } = stats;
  const numbers: readonly (readonly [number, bigint])[] = [
    [0, ctimeNs / NANOSECONDS],
    [4, ctimeNs % NANOSECONDS],
    [8, mtimeNs / NANOSECONDS],
    [12, mtimeNs % NANOSECONDS],
    [16, dev],
    [20, ino],
    [28, uid],
    [32, gid],
    [36, size],
  ];
  for (const [offset, value] of numbers) bytes.writeUInt32BE(Number(BigInt.asUintN(32, value)), offset);
}

const NANOSECONDS = 1_000_000_000n;
