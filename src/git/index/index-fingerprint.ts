import { createHash } from "node:crypto";

/**
 * A text that stays the same while an index holds the same entries: what git last saw of the files, which `git status`
 * writes anew, does not count. Undefined for an index that does not hold all of its entries itself, or in another way.
 */
export function indexFingerprint(index: Buffer): string | undefined {
  const version = index.length < HEADER_BYTES + TRAILER_BYTES ? 0 : index.readUInt32BE(4);
  if (index.toString("latin1", 0, 4) !== "DIRC" || (version !== 2 && version !== 3)) return undefined;
  const bytes = Buffer.from(index);
  const end = bytes.length - TRAILER_BYTES;
  let at = HEADER_BYTES;
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    if (at + ENTRY_BYTES > end) return undefined;
    clearStat(bytes, at);
    const flags = bytes.readUInt16BE(at + 60);
    const name = at + ENTRY_BYTES + ((flags & 0x4000) === 0 ? 0 : 2);
    const length = (flags & 0xfff) === 0xfff ? bytes.indexOf(0, name) - name : flags & 0xfff;
    at += (name - at + length + 8) & ~7;
  }
  return at > end || hasNeededExtension(bytes, at, end) ? undefined : sha1(bytes.subarray(0, at));
}

const HEADER_BYTES = 12;
const ENTRY_BYTES = 62;
const TRAILER_BYTES = 20;

/** Everything of the first 40 bytes but the mode. */
function clearStat(bytes: Buffer, at: number): void {
  for (let index = at; index < at + 24; index += 1) bytes[index] = 0;
  for (let index = at + 28; index < at + 40; index += 1) bytes[index] = 0;
}

/** Git writes the names of extensions without which an index cannot be understood in small letters. */
function hasNeededExtension(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at + 8 <= end; at += 8 + bytes.readUInt32BE(at + 4)) {
    if ((bytes[at] ?? 0) >= 97) return true;
  }
  return false;
}

function sha1(content: Buffer): string {
  return createHash("sha1").update(content).digest("hex");
}
