import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  NOT_WALKED,
  OPEN_BRACE,
  OPEN_BRACKET,
  parse,
  QUOTE,
  skipLongString,
  skipScalar,
  skipSpace,
} from "./json-bytes.ts";

export interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly value: unknown;
  readonly isBroken: boolean;
}

const BEFORE_VALUE = new Set(Buffer.from(":,["));
const AFTER_VALUE = new Set(Buffer.from(",:}]"));

/**
 * Takes a line apart that is not one JSON value: records glued to each other, or to half of one that was cut off. Each byte
 * is gone over a fixed number of times, whatever the damage. Of a line that has no end yet, half a record that may go on
 * is the last stretch, and nothing inside of it is taken for a record.
 */
export function recoverRecords(bytes: Buffer, start: number, end: number, isEnded = true): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let brokenFrom: number | undefined;
  const take = (record: Stretch): number => {
    if (brokenFrom !== undefined) stretches.push(broken(brokenFrom, record.start));
    brokenFrom = undefined;
    stretches.push(record);
    return skipSpace(bytes, record.end, end);
  };
  let at = skipSpace(bytes, start, end);
  /** Whether what stands here is known to stand in nothing else: the line's begin, or the place where a record broke off. */
  let isOutside = true;
  while (at < end) {
    const walk = walkPrefix(bytes, at, end);
    const found = walk.isWhole ? wholeRecord(bytes, at, walk.end, end, isOutside) : undefined;
    const swallowed = walk.isWhole ? undefined : swallowedRecord(bytes, walk, end, isEnded);
    if (found !== undefined || swallowed !== undefined) {
      brokenFrom ??= swallowed === undefined ? undefined : at;
      at = take((found ?? swallowed) as Stretch);
      isOutside = true;
      continue;
    }
    brokenFrom ??= at;
    const restart = walk.isWhole ? walk.end : beginBefore(bytes, walk.end, at);
    at = nextObject(bytes, Math.max(restart, at + 1), end);
    isOutside = at === restart;
  }
  if (brokenFrom !== undefined) stretches.push(broken(brokenFrom, end));
  return stretches;
}

/** The stretches of a line that stay what they are, whatever is written after it: all of them, where the line has its end. */
export function settledStretches(bytes: Buffer, start: number, end: number, isEnded: boolean): readonly Stretch[] {
  const stretches = recoverRecords(bytes, start, end, isEnded);
  return isEnded || stretches.at(-1)?.isBroken === false ? stretches : stretches.slice(0, -1);
}

/** The place up to which a line without an end is settled: after its last whole record. */
export function settledEnd(bytes: Buffer, start: number, end: number): number {
  return settledStretches(bytes, start, end, false).at(-1)?.end ?? start;
}

function broken(start: number, end: number): Stretch {
  return { start, end, value: undefined, isBroken: true };
}

/** The object that ends here, where it is a record; one that stands inside of another is none. */
function wholeRecord(
  bytes: Buffer,
  start: number,
  after: number,
  end: number,
  isOutside: boolean,
): Stretch | undefined {
  const next = skipSpace(bytes, after, end);
  const goesOn = next < end && AFTER_VALUE.has(bytes[next] as number);
  if (goesOn && !isOutside) return undefined;
  const value = parse(bytes, start, after);
  // A line whose head is gone may begin with an object that stood inside.
  const isOne = isOutside && !goesOn ? true : isRecord(value, goesOn || BEFORE_VALUE.has(byteBefore(bytes, start)));
  return value !== undefined && isOne ? { start, end: after, value, isBroken: false } : undefined;
}

/** A record that was written where one cut off before it was due to have a value: it looks as if it stood inside. */
function swallowedRecord(bytes: Buffer, walk: PrefixWalk, end: number, isEnded: boolean): Stretch | undefined {
  const { last, end: stop } = walk;
  if (last === undefined || skipSpace(bytes, last.end, end) !== stop) return undefined;
  if (stop < end ? bytes[stop] !== OPEN_BRACE : !isEnded) return undefined;
  const value = parse(bytes, last.start, last.end);
  return isRecord(value, true) ? { ...last, value, isBroken: false } : undefined;
}

/** Where a walk ended at the byte after `{"`, these two were taken for the end of a string: a record begins there. */
function beginBefore(bytes: Buffer, stop: number, start: number): number {
  if (bytes[stop - 1] !== QUOTE) return stop;
  let at = stop - 2;
  while (at > start && isSpace(bytes[at] as number)) at -= 1;
  return at > start && bytes[at] === OPEN_BRACE ? at : stop;
}

function nextObject(bytes: Buffer, start: number, end: number): number {
  for (let at = bytes.indexOf(OPEN_BRACE, start); at !== -1 && at < end; at = bytes.indexOf(OPEN_BRACE, at + 1)) {
    if (bytes[skipSpace(bytes, at + 1, end)] === QUOTE) return at;
  }
  return end;
}

/** Blocks and messages inside of a record have types too, and some a uuid; only records name their session. */
function isRecord(value: unknown, needsSession: boolean): boolean {
  if (typeof value !== "object" || value === null || !("type" in value) || typeof value.type !== "string") return false;
  if ("sessionId" in value) return true;
  return !needsSession && ("uuid" in value || "leafUuid" in value || "messageId" in value);
}

function byteBefore(bytes: Buffer, start: number): number {
  let at = start - 1;
  while (at >= 0 && isSpace(bytes[at] as number)) at -= 1;
  return bytes[at] ?? 0;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}

interface PrefixWalk {
  readonly isWhole: boolean;
  /** The place after the object; where it is not whole, the first place that cannot go on as JSON does. */
  readonly end: number;
  /** The object inside of it that ended last: a record that was written where a value was due is taken for one. */
  readonly last: { readonly start: number; readonly end: number } | undefined;
}

/**
 * Walks the object at `start` as far as it is one, however deep. The inside of strings is not checked: a record that was
 * cut off within one swallows the brace and the quote that the next record begins with, and ends at the byte after.
 */
function walkPrefix(bytes: Buffer, start: number, end: number): PrefixWalk {
  /** Where the containers that are open begin; an array's place is turned over, which makes it negative. */
  const open: number[] = [];
  let last: PrefixWalk["last"];
  const isWhole = (place: number): PrefixWalk => ({ isWhole: true, end: place, last });
  const stop = (place: number): PrefixWalk => ({ isWhole: false, end: Math.min(place, end), last });
  if (bytes[start] !== OPEN_BRACE) return stop(start);
  let expects: "value" | "first value" | "key" | "first key" | "more" = "value";
  for (let at = skipSpace(bytes, start, end); at < end; at = skipSpace(bytes, at, end)) {
    const byte = bytes[at] as number;
    const isOfObject = (open.at(-1) ?? 0) >= 0;
    const closes = isOfObject ? byte === CLOSE_BRACE : byte === CLOSE_BRACKET;
    if (closes && (expects === "more" || expects === "first key" || expects === "first value")) {
      const begun = open.pop() as number;
      at += 1;
      if (open.length === 0) return isWhole(at);
      if (begun >= 0) last = { start: begun, end: at };
      expects = "more";
    } else if (expects === "more") {
      if (byte !== COMMA) return stop(at);
      expects = isOfObject ? "key" : "value";
      at += 1;
    } else if (expects === "key" || expects === "first key") {
      if (byte !== QUOTE) return stop(at);
      const after = skipLongString(bytes, at + 1, end);
      if (after === NOT_WALKED) return stop(end);
      at = skipSpace(bytes, after, end);
      if (at >= end || bytes[at] !== COLON) return stop(at);
      expects = "value";
      at += 1;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      open.push(byte === OPEN_BRACE ? at : ~at);
      expects = byte === OPEN_BRACE ? "first key" : "first value";
      at += 1;
    } else {
      const after = byte === QUOTE ? skipLongString(bytes, at + 1, end) : skipScalar(bytes, at, end);
      if (after === NOT_WALKED) return stop(byte === QUOTE ? end : skipWord(bytes, at, end));
      expects = "more";
      at = after;
    }
  }
  return stop(end);
}

/** The end of what may be half a number or half of `true`, `false` or `null`. */
function skipWord(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && isOfWord(bytes[at] as number)) at += 1;
  return at;
}

function isOfWord(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x30 && byte <= 0x39) || [0x45, 0x2b, 0x2d, 0x2e].includes(byte);
}
