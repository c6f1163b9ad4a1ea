import type { BytePath } from "./files/byte-path.ts";
import { ENTRY_BYTES, hasNeededExtension, HEADER_BYTES, TRAILER_BYTES } from "./index-file.ts";

/** A file of the work tree as git last saw it. */
export interface SeenEntry {
  readonly path: BytePath;
  readonly mode: number;
  readonly oid: string;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  /** The low 32 bits, as of the size. */
  readonly ino: number;
  readonly size: number;
  /** Whether it is one side of a conflict. */
  readonly isUnmerged: boolean;
}

interface SeenIndex {
  readonly entries: readonly SeenEntry[];
  /** The trees that git knows the entries of some folders to be, those of folders in them included. */
  readonly treeIds: readonly string[];
}

/** Reads an index as what git last saw of the files; undefined for one that does not hold all itself, or is not understood. */
export function readSeenIndex(index: Buffer): SeenIndex | undefined {
  const version = index.length < HEADER_BYTES + TRAILER_BYTES ? 0 : index.readUInt32BE(4);
  if (index.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 4) return undefined;
  const end = index.length - TRAILER_BYTES;
  const entries: SeenEntry[] = [];
  let at = HEADER_BYTES;
  let path: BytePath = "";
  for (let left = index.readUInt32BE(8); left > 0; left -= 1) {
    if (at + ENTRY_BYTES > end) return undefined;
    const start = at;
    const flags = index.readUInt16BE(start + 60);
    const name = start + ENTRY_BYTES + ((flags & 0x4000) === 0 ? 0 : 2);
    const kept = version === 4 ? readKeptLength(index, name, path.length) : { length: 0, next: name };
    const zero = index.indexOf(0, kept.next);
    if (kept.length < 0 || zero === -1 || zero > end) return undefined;
    path = path.slice(0, kept.length) + index.toString("latin1", kept.next, zero);
    at = version === 4 ? zero + 1 : start + ((zero - start + 8) & ~7);
    entries.push(readEntry(index, start, path));
  }
  if (at > end || hasNeededExtension(index, at, end)) return undefined;
  return { entries, treeIds: readTreeIds(index, at, end) };
}

function readEntry(index: Buffer, start: number, path: BytePath): SeenEntry {
  return {
    path,
    ctimeMs: index.readUInt32BE(start) * 1000 + index.readUInt32BE(start + 4) / 1e6,
    mtimeMs: index.readUInt32BE(start + 8) * 1000 + index.readUInt32BE(start + 12) / 1e6,
    ino: index.readUInt32BE(start + 20),
    mode: index.readUInt32BE(start + 24),
    size: index.readUInt32BE(start + 36),
    oid: index.toString("hex", start + 40, start + 60),
    isUnmerged: (index.readUInt16BE(start + 60) & 0x3000) !== 0,
  };
}

/** Version 4 tells how many bytes of the path before are left out at its end, seven bits a byte, each further one counted up by one. */
function readKeptLength(index: Buffer, start: number, pathLength: number) {
  let next = start;
  let byte = index[next++] ?? 0;
  let cut = byte & 127;
  while ((byte & 128) !== 0 && next < start + 5) {
    byte = index[next++] ?? 0;
    cut = (cut + 1) * 128 + (byte & 127);
  }
  return { length: pathLength - cut, next };
}

/** Git's cache of trees: for each folder its name, how many entries it has and how many folders, and an id where the first is not negative. */
function readTreeIds(index: Buffer, start: number, end: number): readonly string[] {
  const ids = new Set<string>();
  for (let at = start; at + 8 <= end; at += 8 + index.readUInt32BE(at + 4)) {
    if (index.toString("latin1", at, at + 4) !== "TREE") continue;
    const last = Math.min(at + 8 + index.readUInt32BE(at + 4), end);
    for (let folder = at + 8; folder < last;) {
      const line = index.indexOf(10, folder) + 1;
      const zero = index.indexOf(0, folder);
      if (line === 0 || zero === -1 || zero >= line || line > last) break;
      const isKnown = index[zero + 1] !== MINUS && line + ID_BYTES <= last;
      if (isKnown) ids.add(index.toString("hex", line, line + ID_BYTES));
      folder = line + (isKnown ? ID_BYTES : 0);
    }
  }
  return [...ids];
}

const ID_BYTES = 20;
const MINUS = 0x2d;
