import { parseJson } from "../../core/internal.ts";

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;

/** Bytes of a string looked at one by one before the native search takes over: most strings are shorter. */
const NEAR = 48;
/** Deeper than this the walk gives up, and the caller asks `JSON.parse`. */
const DEEPEST = 200;
/** What every walk gives where the bytes are not JSON, or are JSON of a kind that it leaves to `JSON.parse`. */
export const NOT_WALKED = -1;

/** Is told of a member, its key without the quotes; walks or skips the value itself and gives the place after it. */
export type MemberVisitor = (keyStart: number, keyEnd: number, valueStart: number) => number;

/**
 * Walks the members of the object at `start` and gives the place after it. It checks all of the grammar but the inside
 * of strings: there only the end is looked for, which is what makes it several times faster than `JSON.parse`.
 */
export function walkObject(bytes: Buffer, start: number, end: number, visit?: MemberVisitor, depth = 0): number {
  if (bytes[start] !== OPEN_BRACE || depth > DEEPEST) return NOT_WALKED;
  let at = skipSpace(bytes, start + 1, end);
  if (at < end && bytes[at] === CLOSE_BRACE) return at + 1;
  while (at < end && bytes[at] === QUOTE) {
    const keyStart = at + 1;
    const afterKey = skipString(bytes, keyStart, end);
    if (afterKey === NOT_WALKED) return NOT_WALKED;
    at = skipSpace(bytes, afterKey, end);
    if (at >= end || bytes[at] !== COLON) return NOT_WALKED;
    const valueStart = skipSpace(bytes, at + 1, end);
    const valueEnd =
      visit === undefined ? skipValue(bytes, valueStart, end, depth + 1) : visit(keyStart, afterKey - 1, valueStart);
    if (valueEnd === NOT_WALKED) return NOT_WALKED;
    at = skipSpace(bytes, valueEnd, end);
    if (at >= end) return NOT_WALKED;
    if (bytes[at] === CLOSE_BRACE) return at + 1;
    if (bytes[at] !== COMMA) return NOT_WALKED;
    at = skipSpace(bytes, at + 1, end);
  }
  return NOT_WALKED;
}

export function skipValue(bytes: Buffer, start: number, end: number, depth: number): number {
  const first = bytes[start] as number;
  if (start >= end) return NOT_WALKED;
  if (first === QUOTE) return skipString(bytes, start + 1, end);
  if (first === OPEN_BRACE) return walkObject(bytes, start, end, undefined, depth);
  if (first === OPEN_BRACKET) return walkArray(bytes, start, end, depth);
  return skipScalar(bytes, start, end);
}

export function skipSpace(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && isSpace(bytes[at] as number)) at += 1;
  return at;
}

/** Walks the elements of the array at `start` and gives the place after it. */
function walkArray(bytes: Buffer, start: number, end: number, depth: number): number {
  if (depth > DEEPEST) return NOT_WALKED;
  let at = skipSpace(bytes, start + 1, end);
  if (at < end && bytes[at] === CLOSE_BRACKET) return at + 1;
  while (at < end) {
    const after = skipValue(bytes, at, end, depth + 1);
    if (after === NOT_WALKED) return NOT_WALKED;
    at = skipSpace(bytes, after, end);
    if (at >= end) return NOT_WALKED;
    if (bytes[at] === CLOSE_BRACKET) return at + 1;
    if (bytes[at] !== COMMA) return NOT_WALKED;
    at = skipSpace(bytes, at + 1, end);
  }
  return NOT_WALKED;
}

function skipString(bytes: Buffer, start: number, end: number): number {
  const near = Math.min(end, start + NEAR);
  let at = start;
  while (at < near) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) return at + 1;
    if (byte < 0x20) return NOT_WALKED;
    at += byte === BACKSLASH ? 2 : 1;
  }
  return at >= end ? NOT_WALKED : skipLongString(bytes, at, end);
}

/** From within a string to after its end. `start` is never behind a backslash that escapes it, so those before a quote can be counted from there. */
export function skipLongString(bytes: Buffer, start: number, end: number): number {
  let from = start;
  for (;;) {
    const quote = bytes.indexOf(QUOTE, from);
    if (quote === -1 || quote >= end) return NOT_WALKED;
    let before = quote - 1;
    while (before >= start && bytes[before] === BACKSLASH) before -= 1;
    if ((quote - before) % 2 === 1) return quote + 1;
    from = quote + 1;
  }
}

/** Numbers, `true`, `false` and `null`: checked with the grammar's own expression, they are short. */
export function skipScalar(bytes: Buffer, start: number, end: number): number {
  const first = bytes[start] as number;
  if (first === 0x74 && spells(bytes, start, end, "true")) return start + 4;
  if (first === 0x66 && spells(bytes, start, end, "false")) return start + 5;
  if (first === 0x6e && spells(bytes, start, end, "null")) return start + 4;
  return skipNumber(bytes, start, end);
}

function skipNumber(bytes: Buffer, start: number, end: number): number {
  let at = bytes[start] === 0x2d ? start + 1 : start;
  if (at >= end) return NOT_WALKED;
  if (bytes[at] === 0x30) at += 1;
  else if ((at = skipDigits(bytes, at, end)) === NOT_WALKED) return NOT_WALKED;
  if (at < end && bytes[at] === 0x2e && (at = skipDigits(bytes, at + 1, end)) === NOT_WALKED) return NOT_WALKED;
  if (at < end && (bytes[at] === 0x65 || bytes[at] === 0x45)) {
    const signed = at + 1 < end && (bytes[at + 1] === 0x2b || bytes[at + 1] === 0x2d);
    return skipDigits(bytes, signed ? at + 2 : at + 1, end);
  }
  return at;
}

function skipDigits(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && (bytes[at] as number) >= 0x30 && (bytes[at] as number) <= 0x39) at += 1;
  return at === start ? NOT_WALKED : at;
}

function spells(bytes: Buffer, start: number, end: number, text: string): boolean {
  if (start + text.length > end) return false;
  for (let index = 0; index < text.length; index += 1) {
    if (bytes[start + index] !== text.charCodeAt(index)) return false;
  }
  return true;
}

export function parse(bytes: Buffer, start: number, end: number): unknown {
  return parseJson(bytes.toString("utf8", start, end));
}

/** Whether there is nothing but white space and control characters between two places. */
export function isBlank(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if ((bytes[at] as number) > 0x20) return false;
  return true;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a;
}
