import { readRange } from "../read/read-bytes.ts";
import { scanLine, type ScannedRecord } from "../scan/scan-file.ts";
import { type CopyPlace, copyPath } from "../copies/copies.ts";
import { readKept } from "../copies/kept-file.ts";

export interface RecordAddress {
  readonly path: string;
  readonly offset: number;
  readonly lengthBytes: number;
  readonly uuid: string | null;
  readonly isPurged: boolean;
}

/** Reads the texts of one record again, from its file or from the kept copy; undefined where neither has it. */
export function readTexts(place: CopyPlace, address: RecordAddress): SearchableTexts | undefined {
  const { offset, uuid } = address;
  const bytes = readBytes(place, address);
  const { length } = bytes;
  const line = { bytes, start: 0, end: length, offset, lengthBytes: length, isEnded: true, isTooLong: false };
  // The file may have been written anew since it was read.
  const found = scanLine(line).find((entry) => entry.type === "record" && (entry.uuid ?? null) === uuid);
  return found?.type === "record" ? searchableTexts(found) : undefined;
}

function readBytes(place: CopyPlace, { path, offset, lengthBytes, isPurged }: RecordAddress): Buffer {
  try {
    if (!isPurged) return readRange(path, offset, lengthBytes);
  } catch {
    // Deleted since the last refresh: the copy has it.
  }
  try {
    return readKept(copyPath(place, path), offset, lengthBytes);
  } catch {
    return Buffer.alloc(0);
  }
}

export type SearchableTexts = ReturnType<typeof searchableTexts>;

/** Of what a tool was given or gave, so much from its start and so much from its end: the rest is logs and data. */
const TOOL_HEAD = 24 * 1024;
const TOOL_TAIL = 8 * 1024;
/** Of what was said or thought, more than anyone says: it bounds the memory that one record takes. */
const SAID_HEAD = 768 * 1024;
const SAID_TAIL = 256 * 1024;

/** The texts of a record as they are searched, and shown where they are found. */
export function searchableTexts(record: ScannedRecord) {
  // What a tool is given is JSON: with its escapes, the first word of every line would begin with an "n".
  const isJson = record.recordType === "assistant";
  const tools = shorten(record.toolText, TOOL_HEAD, TOOL_TAIL);
  return {
    said: readable(shorten(record.text, SAID_HEAD, SAID_TAIL)),
    thinking: readable(shorten(record.thinking, SAID_HEAD, SAID_TAIL)),
    tools: readable(isJson ? tools.replaceAll(ESCAPE, unescape) : tools),
  };
}

const ESCAPE = /\\(?:["\\/nrtbf])/gu;

function unescape(escape: string): string {
  const [, sign = ""] = escape;
  return sign === "n" || sign === "r" ? "\n" : `"\\/`.includes(sign) ? sign : " ";
}

function shorten(text: string, head: number, tail: number): string {
  if (text.length <= head + tail) return text;
  return `${text.slice(0, head)} … ${text.slice(-tail)}`;
}

/** SQLite reads a text only up to its first NUL. */
function readable(text: string): string {
  return text.includes("\0") ? text.replaceAll("\0", "\u{FFFD}") : text;
}
