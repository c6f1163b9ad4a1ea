import { NOT_WALKED, skipLongString, skipScalar, skipSpace } from "./json-bytes.ts";
import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from "./json-tokens.ts";

/** How far the bytes from a place on are an object. */
export interface PrefixWalk {
  /** Whether the object has its end. */
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
export function walkPrefix(bytes: Buffer, start: number, end: number): PrefixWalk {
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

/** Letters, digits, `+`, `-` and `.`. */
function isOfWord(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x30 && byte <= 0x39) || [0x45, 0x2b, 0x2d, 0x2e].includes(byte);
}
