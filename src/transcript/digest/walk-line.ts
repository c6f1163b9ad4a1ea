import {
  BACKSLASH,
  NOT_WALKED,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipValue,
  spells,
  walkArray,
  walkObject,
} from "../scan/json-bytes.ts";
import { hashBytes, type IdHash } from "./id-table.ts";

const TOP_KEYS = ["type", "uuid", "cwd", "version", "costUSD", "sessionId", "timestamp", "isSidechain"] as const;
export const [TYPE, UUID, CWD, VERSION, COST, SESSION, TIMESTAMP, IS_SIDECHAIN] = [0, 1, 2, 3, 4, 5, 6, 7] as const;
const MESSAGE_KEYS = ["id", "model", "usage", "stop_reason"] as const;
export const [ID, MODEL, TOKENS, STOP_REASON] = [0, 1, 2, 3] as const;
const BLOCK_KEYS = ["type", "id", "name", "is_error", "tool_use_id"] as const;
const [BLOCK_TYPE, CALL_ID, NAME, IS_ERROR, RESULT_ID] = [0, 1, 2, 3, 4] as const;
const MESSAGE = "message";
const CONTENT = "content";
export const ABSENT = -1;

/** Where the values of some keys stand. */
export interface Places {
  readonly keys: readonly string[];
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/** A block of a message that calls a tool, or gives what one gave. */
export interface FoundBlock {
  isCall: boolean;
  readonly id: IdHash;
  name: string;
  isError: boolean;
}

/** A line and what was found in it. One serves all lines, so that a line costs no memory. */
export interface WalkedLine {
  bytes: Buffer;
  end: number;
  /** False where a key or a value has a backslash: then it is not what its bytes say. */
  isPlain: boolean;
  readonly top: Places;
  readonly message: Places;
  readonly block: Places;
  readonly blocks: FoundBlock[];
  /** How many of `blocks` are this line's. */
  found: number;
}

/** Makes a line, and the walk that fills it: it goes over the bytes from `start` to `end` and gives the place after the object there. */
export function createWalk(): {
  readonly line: WalkedLine;
  readonly walk: (bytes: Buffer, start: number, end: number) => number;
} {
  const line: WalkedLine = {
    bytes: Buffer.alloc(0),
    end: 0,
    isPlain: true,
    top: createPlaces(TOP_KEYS),
    message: createPlaces(MESSAGE_KEYS),
    block: createPlaces(BLOCK_KEYS),
    blocks: [],
    found: 0,
  };
  const inBlock = (keyStart: number, keyEnd: number, valueStart: number): number =>
    noteValue(line, line.block, keyStart, keyEnd, valueStart);
  const element = (start: number): number => {
    if (line.bytes[start] !== OPEN_BRACE) return skipValue(line.bytes, start, line.end, 3);
    line.block.starts.fill(ABSENT);
    const after = walkObject(line.bytes, start, line.end, inBlock, 3);
    if (after !== NOT_WALKED) noteBlock(line);
    return after;
  };
  const inMessage = (keyStart: number, keyEnd: number, valueStart: number): number => {
    if (!isKey(line, keyStart, keyEnd, CONTENT)) return noteValue(line, line.message, keyStart, keyEnd, valueStart);
    line.found = 0;
    if (line.bytes[valueStart] === OPEN_BRACKET) return walkArray(line.bytes, valueStart, line.end, element, 2);
    return skipValue(line.bytes, valueStart, line.end, 2);
  };
  const inTop = (keyStart: number, keyEnd: number, valueStart: number): number => {
    if (!isKey(line, keyStart, keyEnd, MESSAGE)) return noteValue(line, line.top, keyStart, keyEnd, valueStart);
    line.message.starts.fill(ABSENT);
    line.found = 0;
    if (line.bytes[valueStart] === OPEN_BRACE) return walkObject(line.bytes, valueStart, line.end, inMessage, 1);
    return skipValue(line.bytes, valueStart, line.end, 1);
  };
  const walk = (bytes: Buffer, start: number, end: number): number => {
    line.bytes = bytes;
    line.end = end;
    line.isPlain = true;
    line.found = 0;
    line.top.starts.fill(ABSENT);
    line.message.starts.fill(ABSENT);
    return walkObject(bytes, start, end, inTop);
  };
  return { line, walk };
}

function createPlaces(keys: readonly string[]): Places {
  return { keys, starts: new Int32Array(keys.length).fill(ABSENT), ends: new Int32Array(keys.length) };
}

function isKey({ bytes }: WalkedLine, keyStart: number, keyEnd: number, key: string): boolean {
  return keyEnd - keyStart === key.length && spells(bytes, keyStart, keyEnd, key);
}

/** Skips a value, and notes it where its key is one of these. */
function noteValue(line: WalkedLine, places: Places, keyStart: number, keyEnd: number, valueStart: number): number {
  const valueEnd = skipValue(line.bytes, valueStart, line.end, 4);
  const { keys, starts, ends } = places;
  const length = keyEnd - keyStart;
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] as string;
    if (key.length !== length || !spells(line.bytes, keyStart, keyEnd, key)) continue;
    starts[index] = valueStart;
    ends[index] = valueEnd;
    return valueEnd;
  }
  line.isPlain &&= !hasBackslash(line.bytes, keyStart, keyEnd);
  return valueEnd;
}

function noteBlock(line: WalkedLine): void {
  const { block: places, blocks } = line;
  const isCall = isQuoted(line, places, BLOCK_TYPE, "tool_use");
  if (!isCall && !isQuoted(line, places, BLOCK_TYPE, "tool_result")) {
    checkPlain(line, places, BLOCK_TYPE);
    return;
  }
  const block = (blocks[line.found] ??= { isCall, id: { low: 0, high: 0 }, name: "", isError: false });
  line.found += 1;
  block.isCall = isCall;
  hashOf(line, places, isCall ? CALL_ID : RESULT_ID, block.id);
  // A block without an id has an empty one.
  if (block.id.low === 0) hashBytes(line.bytes, 0, 0, block.id);
  block.name = isCall ? (textOf(line, places, NAME) ?? "") : "";
  block.isError = isWord(line, places, IS_ERROR, "true");
}

/** A text by its bytes; undefined where the value is none. */
export function textOf(line: WalkedLine, places: Places, key: number): string | undefined {
  if (!isText(line, places, key)) return undefined;
  checkPlain(line, places, key);
  return line.bytes.toString("utf8", (places.starts[key] as number) + 1, (places.ends[key] as number) - 1);
}

/** Hashes a text; no id where the value is none. */
export function hashOf(line: WalkedLine, places: Places, key: number, into: IdHash): void {
  into.low = 0;
  into.high = 0;
  if (!isText(line, places, key)) return;
  checkPlain(line, places, key);
  hashBytes(line.bytes, (places.starts[key] as number) + 1, (places.ends[key] as number) - 1, into);
}

export function isWord({ bytes }: WalkedLine, { starts, ends }: Places, key: number, word: string): boolean {
  const start = starts[key] as number;
  return start !== ABSENT && ends[key] === start + word.length && spells(bytes, start, ends[key], word);
}

/** Notes that the line is not plain where a text has a backslash. */
export function checkPlain(line: WalkedLine, places: Places, key: number): void {
  if (isText(line, places, key)) {
    line.isPlain &&= !hasBackslash(line.bytes, places.starts[key] as number, places.ends[key] as number);
  }
}

function isText({ bytes }: WalkedLine, { starts }: Places, key: number): boolean {
  const start = starts[key] as number;
  return start !== ABSENT && bytes[start] === QUOTE;
}

function isQuoted(line: WalkedLine, places: Places, key: number, word: string): boolean {
  const start = places.starts[key] as number;
  const isAsLong = isText(line, places, key) && places.ends[key] === start + word.length + 2;
  return isAsLong && spells(line.bytes, start + 1, line.end, word);
}

function hasBackslash(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (bytes[at] === BACKSLASH) return true;
  return false;
}
