import { type UsageLine, usageLineOf } from "../usage/usage-line.ts";
import { BACKSLASH, NOT_WALKED, OPEN_BRACE, QUOTE, skipValue, spells, walkObject } from "./json-bytes.ts";

/** What the record at a place states, and where it ends: another one may be glued to it. Undefined where it is broken. */
type ScannedUsage = { readonly line: UsageLine | undefined; readonly end: number } | undefined;

/** Reads the usage of the record that lies in `bytes` from `start` on, not beyond `end`. */
export type UsageScanner = (bytes: Buffer, start: number, end: number) => ScannedUsage;

const KEYS = ["type", "uuid", "cwd", "agentId", "costUSD", "sessionId", "timestamp", "isSidechain"] as const;
const MESSAGE_KEYS = ["id", "model", "usage", "stop_reason"] as const;
type Key = (typeof KEYS)[number] | (typeof MESSAGE_KEYS)[number];
const ALL_KEYS: readonly Key[] = [...KEYS, ...MESSAGE_KEYS];
const MESSAGE = "message";
const ABSENT = -1;

/**
 * Makes a scanner that finds the usage of an assistant's record without parsing the rest of it. What the walk does not
 * understand, and records of other kinds that carry usage, go to `JSON.parse`: both ways always agree.
 */
export function createUsageScanner(): UsageScanner {
  // One set of places serves every line: a line costs no memory but its result.
  const starts = new Int32Array(ALL_KEYS.length);
  const ends = new Int32Array(ALL_KEYS.length);
  let bytes: Buffer = Buffer.alloc(0);
  let end = 0;
  let isEscaped = false;

  const visitMember = (first: number, last: number, keyStart: number, keyEnd: number, valueStart: number): number => {
    const valueEnd = skipValue(bytes, valueStart, end, 1);
    const key = keyAt(bytes, keyStart, keyEnd, first, last);
    if (key !== ABSENT) {
      starts[key] = valueStart;
      ends[key] = valueEnd;
    } else if (!isEscaped) isEscaped = hasBackslash(bytes, keyStart, keyEnd);
    return valueEnd;
  };
  const visitInMessage = (keyStart: number, keyEnd: number, valueStart: number): number =>
    visitMember(KEYS.length, ALL_KEYS.length, keyStart, keyEnd, valueStart);
  const visitTop = (keyStart: number, keyEnd: number, valueStart: number): number => {
    if (keyEnd - keyStart !== MESSAGE.length || !spells(bytes, keyStart, keyEnd, MESSAGE)) {
      return visitMember(0, KEYS.length, keyStart, keyEnd, valueStart);
    }
    starts.fill(ABSENT, KEYS.length);
    if (bytes[valueStart] !== OPEN_BRACE) return skipValue(bytes, valueStart, end, 1);
    return walkObject(bytes, valueStart, end, visitInMessage);
  };

  return (source, start, limit) => {
    bytes = source;
    end = limit;
    isEscaped = false;
    starts.fill(ABSENT);
    const after = walkObject(bytes, start, end, visitTop);
    if (after === NOT_WALKED) return parseWhole(bytes, start, end);
    if (isEscaped || isValue(bytes, starts, ends, "progress")) return parseWhole(bytes, start, after);
    if (!isValue(bytes, starts, ends, "assistant")) return { line: undefined, end: after };
    return readFound((key) => valueOf(bytes, starts, ends, key), after) ?? parseWhole(bytes, start, after);
  };
}

/** Puts what was found together; undefined where a value turns out not to be JSON. */
function readFound(value: (key: Key) => unknown, end: number): ScannedUsage {
  try {
    const id = value("id");
    const record = {
      type: "assistant",
      // Without an id the record counts by itself; else its uuid is not needed, and decoding it takes time.
      uuid: typeof id === "string" ? undefined : value("uuid"),
      cwd: value("cwd"),
      agentId: value("agentId"),
      costUSD: value("costUSD"),
      sessionId: value("sessionId"),
      timestamp: value("timestamp"),
      isSidechain: value("isSidechain"),
      message: { id, model: value("model"), usage: value("usage"), stop_reason: value("stop_reason") },
    };
    return { line: usageLineOf(record), end };
  } catch {
    return undefined;
  }
}

function parseWhole(bytes: Buffer, start: number, end: number): ScannedUsage {
  try {
    return { line: usageLineOf(JSON.parse(bytes.toString("utf8", start, end))), end };
  } catch {
    return undefined;
  }
}

function valueOf(bytes: Buffer, starts: Int32Array, ends: Int32Array, key: Key): unknown {
  const index = ALL_KEYS.indexOf(key);
  const start = starts[index] as number;
  const end = ends[index] as number;
  if (start === ABSENT) return undefined;
  const first = bytes[start] as number;
  if (first === 0x66) return false;
  if (first === 0x74) return true;
  if (first === 0x6e) return null;
  if (first === QUOTE && !hasBackslash(bytes, start, end)) return bytes.toString("utf8", start + 1, end - 1);
  return JSON.parse(bytes.toString("utf8", start, end));
}

function isValue(bytes: Buffer, starts: Int32Array, ends: Int32Array, type: string): boolean {
  const start = starts[0] as number;
  if (start === ABSENT) return false;
  if (hasBackslash(bytes, start, ends[0] as number)) return true;
  return ends[0] === start + type.length + 2 && spells(bytes, start + 1, ends[0], type);
}

function keyAt(bytes: Buffer, start: number, end: number, first: number, last: number): number {
  const length = end - start;
  for (let index = first; index < last; index += 1) {
    const key = ALL_KEYS[index] as Key;
    if (key.length === length && spells(bytes, start, end, key)) return index;
  }
  return ABSENT;
}

function hasBackslash(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (bytes[at] === BACKSLASH) return true;
  return false;
}
