// Walks JSON by its bytes. A place is an address in the module's memory; 0 stands for bytes that are not JSON, or that are left to `JSON.parse`.
// Every line ends in a line feed, which no walk passes: none of them needs to know where the memory ends.

export const QUOTE: u8 = 0x22;
export const BACKSLASH: u8 = 0x5c;
export const COMMA: u8 = 0x2c;
export const COLON: u8 = 0x3a;
export const OPEN_BRACE: u8 = 0x7b;
export const CLOSE_BRACE: u8 = 0x7d;
export const OPEN_BRACKET: u8 = 0x5b;
export const CLOSE_BRACKET: u8 = 0x5d;
export const LINE_FEED: u8 = 0x0a;
export const NOT_WALKED: u32 = 0;

/** Control characters are damage in the first bytes of a string; further on only its end is looked for. */
const NEAR: u32 = 48;
/** Deeper than this the walk gives up. */
const DEEPEST: u32 = 190;

/** Whether a string has had a backslash since this was last set back: then it is not what its bytes say. */
export let sawEscape: bool = false;
export function forgetEscapes(): void {
  sawEscape = false;
}

/** From after a string's first quote to after its last. */
export function skipString(start: u32): u32 {
  let at = start;
  while (true) {
    const chunk = v128.load(at);
    const stops = i8x16.bitmask(
      v128.or(
        v128.or(i8x16.eq(chunk, i8x16.splat(0x22)), i8x16.eq(chunk, i8x16.splat(0x5c))),
        i8x16.lt_u(chunk, i8x16.splat(0x20)),
      ),
    );
    if (stops == 0) {
      at += 16;
      continue;
    }
    at += ctz(stops);
    const byte = load<u8>(at);
    if (byte == QUOTE) return at + 1;
    if (byte == BACKSLASH) {
      if (load<u8>(at, 1) == LINE_FEED) return NOT_WALKED;
      sawEscape = true;
      at += 2;
    } else {
      if (byte == LINE_FEED || at < start + NEAR) return NOT_WALKED;
      at += 1;
    }
  }
}

export function skipSpace(start: u32): u32 {
  let at = start;
  for (let byte = load<u8>(at); byte == 0x20 || byte == 0x09 || byte == 0x0d; byte = load<u8>(at)) at += 1;
  return at;
}

export function skipValue(at: u32, depth: u32): u32 {
  const first = load<u8>(at);
  if (first == QUOTE) return skipString(at + 1);
  if (first == OPEN_BRACE) return skipObject(at, depth);
  if (first == OPEN_BRACKET) return skipArray(at, depth);
  return skipScalar(at);
}

/** The key of the member that was stepped to, without its quotes. */
export let keyStart: u32 = 0;
export let keyEnd: u32 = 0;
/** The place after the object or array that was stepped through; 0 where it broke off. */
export let closedAt: u32 = 0;

/** Steps into the object at a place, and gives where the first member's value is; 0 where there is none, then `closedAt` is set. */
export function firstMember(at: u32): u32 {
  const next = skipSpace(at + 1);
  if (load<u8>(next) != CLOSE_BRACE) return memberAt(next);
  closedAt = next + 1;
  return 0;
}

/** Steps from after a value to the next member's; 0 where there is none, then `closedAt` is set. */
export function nextMember(after: u32): u32 {
  const at = skipSpace(after);
  const byte = load<u8>(at);
  if (byte == COMMA) return memberAt(skipSpace(at + 1));
  closedAt = byte == CLOSE_BRACE ? at + 1 : NOT_WALKED;
  return 0;
}

function memberAt(at: u32): u32 {
  closedAt = NOT_WALKED;
  if (load<u8>(at) != QUOTE) return 0;
  const after = skipString(at + 1);
  if (after == NOT_WALKED) return 0;
  keyStart = at + 1;
  keyEnd = after - 1;
  const colon = skipSpace(after);
  return load<u8>(colon) == COLON ? skipSpace(colon + 1) : 0;
}

/** Steps into the array at a place, and gives where its first element is; 0 where there is none, then `closedAt` is set. */
export function firstElement(at: u32): u32 {
  const next = skipSpace(at + 1);
  if (load<u8>(next) != CLOSE_BRACKET) return next;
  closedAt = next + 1;
  return 0;
}

/** Steps from after an element to the next one; 0 where there is none, then `closedAt` is set. */
export function nextElement(after: u32): u32 {
  const at = skipSpace(after);
  const byte = load<u8>(at);
  if (byte == COMMA) return skipSpace(at + 1);
  closedAt = byte == CLOSE_BRACKET ? at + 1 : NOT_WALKED;
  return 0;
}

function skipObject(start: u32, depth: u32): u32 {
  if (depth > DEEPEST) return NOT_WALKED;
  for (let value = firstMember(start); value != 0;) {
    const after = skipValue(value, depth + 1);
    if (after == NOT_WALKED) return NOT_WALKED;
    value = nextMember(after);
  }
  return closedAt;
}

function skipArray(start: u32, depth: u32): u32 {
  if (depth > DEEPEST) return NOT_WALKED;
  for (let element = firstElement(start); element != 0;) {
    const after = skipValue(element, depth + 1);
    if (after == NOT_WALKED) return NOT_WALKED;
    element = nextElement(after);
  }
  return closedAt;
}

const TRUE: u32 = 0x65757274;
const NULL: u32 = 0x6c6c756e;
const ALSE: u32 = 0x65736c61;

/** Numbers, `true`, `false` and `null`. */
function skipScalar(at: u32): u32 {
  const word = load<u32>(at);
  if (word == TRUE || word == NULL) return at + 4;
  if (load<u8>(at) == 0x66) return load<u32>(at, 1) == ALSE ? at + 5 : NOT_WALKED;
  return skipNumber(at);
}

function skipNumber(start: u32): u32 {
  let at = load<u8>(start) == 0x2d ? start + 1 : start;
  if (load<u8>(at) == 0x30) at += 1;
  else if ((at = skipDigits(at)) == NOT_WALKED) return NOT_WALKED;
  if (load<u8>(at) == 0x2e && (at = skipDigits(at + 1)) == NOT_WALKED) return NOT_WALKED;
  const byte = load<u8>(at);
  if (byte != 0x65 && byte != 0x45) return at;
  const sign = load<u8>(at, 1);
  return skipDigits(sign == 0x2b || sign == 0x2d ? at + 2 : at + 1);
}

function skipDigits(start: u32): u32 {
  let at = start;
  while (isDigit(load<u8>(at))) at += 1;
  return at == start ? NOT_WALKED : at;
}

export function isDigit(byte: u8): bool {
  return <u8>(byte - 0x30) < 10;
}
