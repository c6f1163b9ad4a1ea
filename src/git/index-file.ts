import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { type BytePath, toText } from "./files/byte-path.ts";
import { forgedError, isTreePath } from "./objects/tree.ts";

export interface IndexEntry {
  /** `H`, `S` for skip-worktree, `M` for unmerged, `N` for intent-to-add; small where it is assumed to be unchanged. */
  readonly letter: string;
  readonly mode: string;
  readonly oid: string;
  readonly stage: string;
  readonly path: BytePath;
}

/** Git checks an index that it finds less than one that it makes: what somebody else may have forged is refused here. */
export function parseStoredIndex(listing: Buffer): readonly IndexEntry[] {
  const entries = readIndexListing(listing);
  const wrong = entries.find((entry, at) => !isStoredEntry(entry) || !isAfter(entry, entries[at - 1]));
  if (!wrong) return entries;
  const path = toText(wrong.path);
  throw forgedError(`A snapshot's git-index has an entry that git does not make: ${JSON.stringify(path)}`, path);
}

export function isStoredEntry({ letter, mode, oid, stage, path }: IndexEntry): boolean {
  return (
    /^[HSMN]$/i.test(letter) &&
    /^(?:100644|100755|120000|160000)$/.test(mode) &&
    /^[0-9a-f]{40}$/.test(oid) &&
    /^[0-3]$/.test(stage) &&
    path.length <= MOST_PATH_BYTES &&
    isTreePath(path)
  );
}

function isAfter({ path, stage }: IndexEntry, before: IndexEntry | undefined): boolean {
  return before === undefined || before.path < path || (before.path === path && before.stage < stage);
}

/** Reads what `git ls-files --stage -v -z` writes, with one letter more. */
export function readIndexListing(listing: Buffer): readonly IndexEntry[] {
  const lines = listing.toString("latin1").split("\0").slice(0, -1);
  return lines.map((line) => {
    const tab = line.indexOf("\t");
    const [letter = "", mode = "", oid = "", stage = ""] = line.slice(0, tab).split(" ");
    return { letter, mode, oid, stage, path: line.slice(tab + 1) };
  });
}

export function formatIndexListing(entries: readonly IndexEntry[]): Buffer {
  const lines = entries.map(({ letter, mode, oid, stage, path }) => `${letter} ${mode} ${oid} ${stage}\t${path}\0`);
  return Buffer.from(lines.join(""), "latin1");
}

/** Whether a listing may hold an entry that no snapshot holds, which only a forged index has. */
export function mayHaveForgedEntries(listing: Buffer): boolean {
  const text = listing.toString("latin1");
  return FORGED_PATH.test(text) || FORGED_MODE.test(text) || hasLongRecord(listing);
}

/** Not by the expression too, which would count from every byte anew. */
function hasLongRecord(listing: Buffer): boolean {
  for (let start = 0; start < listing.length;) {
    const zero = listing.indexOf(0, start);
    const end = zero === -1 ? listing.length : zero;
    if (end - start >= MOST_PATH_BYTES) return true;
    start = end + 1;
  }
  return false;
}

const MOST_PATH_BYTES = 4096;

/** Names with characters that HFS+ passes over are looked at more closely too. */
const FORGED_PATH = /\.[^/\0]*(?:\xe2[\x80\x81]|\xef\xbb)|[\t/](?:\.git|\.\.?|)[/\0]/i;
const FORGED_MODE = /(?:^|\0)[^\0] (?!100644|100755|120000|160000)/;

/** How an entry's file looks, where that is known to hold the entry's content; git then need not read it again. */
export type EntryLooks = (entry: IndexEntry) => FileLook | undefined;

/** Seconds and nanoseconds of the last changes of the file and of its content, then device, inode, user, group and size: the low 32 bits of each. */
export type FileLook = readonly number[];

/** Writes an index file, in the format of git's gitformat-index: no plumbing command makes every kind of entry. */
export function formatIndex(entries: readonly IndexEntry[], looksOf: EntryLooks = () => undefined): Buffer {
  const writer = createIndexWriter(entries.some((entry) => extendedFlags(entry) !== 0) ? 3 : 2);
  for (const entry of entries) {
    const { letter, mode, oid, stage, path } = entry;
    const flags = (letter === letter.toUpperCase() ? 0 : 0x8000) | (Number(stage) << 12);
    const look = looksOf(entry) ?? [];
    writer.add({ path, oid, mode: Number.parseInt(mode, 8), look, flags, extended: extendedFlags(entry) });
  }
  return writer.end();
}

function extendedFlags({ letter }: IndexEntry): number {
  const kind = letter.toUpperCase();
  return kind === "S" ? 0x4000 : kind === "N" ? 0x2000 : 0;
}

/** Git keeps the low 32 bits of each number. */
export function lookOf(stats: BigIntStats): FileLook {
  const { ctimeNs, mtimeNs, dev, ino, uid, gid, size } = stats;
  const times = [ctimeNs, mtimeNs].flatMap((time) => [time / NANOSECONDS, time % NANOSECONDS]);
  return [...times, dev, ino, uid, gid, size].map((value) => Number(BigInt.asUintN(32, value)));
}

const NANOSECONDS = 1_000_000_000n;

interface WrittenEntry {
  readonly path: BytePath;
  readonly mode: number;
  readonly oid: string;
  readonly look: FileLook;
  readonly flags?: number;
  readonly extended?: number;
}

/** Writes an index file of version 2 or 3, entry by entry; they must come in git's order. */
export function createIndexWriter(version: 2 | 3) {
  let bytes = Buffer.alloc(1 << 16);
  let at = HEADER_BYTES;
  let count = 0;
  const room = (size: number): void => {
    if (at + size <= bytes.length) return;
    bytes = Buffer.concat([bytes], Math.max(bytes.length * 2, at + size));
  };
  return {
    add({ path, mode, oid, look, flags = 0, extended = 0 }: WrittenEntry): void {
      const start = ENTRY_BYTES + (extended === 0 ? 0 : 2);
      // One to eight zero bytes end the path.
      const size = (start + path.length + 8) & ~7;
      room(size);
      for (const [index, value] of look.entries()) bytes.writeUInt32BE(value, at + (LOOK_OFFSETS[index] ?? 0));
      bytes.writeUInt32BE(mode, at + 24);
      bytes.write(oid, at + 40, "hex");
      bytes.writeUInt16BE(flags | (extended === 0 ? 0 : 0x4000) | Math.min(path.length, 0xfff), at + 60);
      if (extended !== 0) bytes.writeUInt16BE(extended, at + 62);
      bytes.write(path, at + start, "latin1");
      at += size;
      count += 1;
    },
    end(): Buffer {
      bytes.write("DIRC", "latin1");
      bytes.writeUInt32BE(version, 4);
      bytes.writeUInt32BE(count, 8);
      room(TRAILER_BYTES);
      at += createHash("sha1").update(bytes.subarray(0, at)).digest().copy(bytes, at);
      return bytes.subarray(0, at);
    },
  };
}

const LOOK_OFFSETS = [0, 4, 8, 12, 16, 20, 28, 32, 36];

/** Reads how the files of an index looked to git, where its paths are known: those it was made with, in their order. */
export function readIndexLooks(index: Buffer, paths: readonly BytePath[]): readonly FileLook[] | undefined {
  if (index.length < HEADER_BYTES + TRAILER_BYTES || index.readUInt32BE(8) !== paths.length) return undefined;
  let at = HEADER_BYTES;
  const looks: FileLook[] = [];
  for (const path of paths) {
    const end = at + ENTRY_BYTES + path.length;
    if (end > index.length || index.toString("latin1", at + ENTRY_BYTES, end) !== path) return undefined;
    const start = at;
    looks.push(LOOK_OFFSETS.map((offset) => index.readUInt32BE(start + offset)));
    at += (ENTRY_BYTES + path.length + 8) & ~7;
  }
  return looks;
}

/** The entries as a hash, without what git last saw of the files; undefined for an index that does not hold all itself. */
export function indexFingerprint(index: Buffer): string | undefined {
  const version = index.length < HEADER_BYTES + TRAILER_BYTES ? 0 : index.readUInt32BE(4);
  if (index.toString("latin1", 0, 4) !== "DIRC" || (version !== 2 && version !== 3)) return undefined;
  const bytes = Buffer.from(index);
  const end = bytes.length - TRAILER_BYTES;
  let at = HEADER_BYTES;
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    if (at + ENTRY_BYTES > end) return undefined;
    // Everything of the first 40 bytes but the mode.
    for (let byte = at; byte < at + 24; byte += 1) bytes[byte] = 0;
    for (let byte = at + 28; byte < at + 40; byte += 1) bytes[byte] = 0;
    const flags = bytes.readUInt16BE(at + 60);
    const name = at + ENTRY_BYTES + ((flags & 0x4000) === 0 ? 0 : 2);
    const length = (flags & 0xfff) === 0xfff ? bytes.indexOf(0, name) - name : flags & 0xfff;
    at += (name - at + length + 8) & ~7;
  }
  return at > end || hasNeededExtension(bytes, at, end)
    ? undefined
    : createHash("sha1").update(bytes.subarray(0, at)).digest("hex");
}

export const HEADER_BYTES = 12;
export const ENTRY_BYTES = 62;
export const TRAILER_BYTES = 20;

/** Git writes the names of extensions without which an index cannot be understood in small letters. */
export function hasNeededExtension(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at + 8 <= end; at += 8 + bytes.readUInt32BE(at + 4)) {
    if ((bytes[at] ?? 0) >= 97) return true;
  }
  return false;
}
