import {
  firstMember,
  forgetEscapes,
  isDigit,
  keyEnd,
  keyStart,
  nextMember,
  NOT_WALKED,
  OPEN_BRACE,
  OPEN_BRACKET,
  closedAt,
  QUOTE,
  sawEscape,
  skipSpace,
  skipValue,
} from "./json";
import { COUNTS, row } from "./row";
import { findWord } from "./words";

/** Lists of words, and the places of words in them. */
const USAGE: u32 = 5;
const SPLIT: u32 = 6;
const SEARCHES: u32 = 7;
const VALUES: u32 = 8;
/** The numbers that a row gets: input, output, cache read, cache written, of that for an hour, web searches. */
const WRITTEN = 3;
const HOUR: u32 = 4;
const WEB_SEARCHES: u32 = 5;
const CACHE_CREATION = 4;
const SERVER_TOOL_USE = 5;
const SPEED = 6;
const PLACE = 7;
const ITERATIONS = 8;
const FAST = 0;
const US = 1;

/** What a row's flags say of usage. */
const HAS_COUNTS: u32 = 64;
/** There is more in it than plain counts: it is to be parsed. */
const IS_ODD: u32 = 128;
const IS_FAST: u32 = 256;
const IS_US_ONLY: u32 = 512;

/** More than any response has. */
const MOST: u64 = 1_000_000_000;
const MOST_DIGITS: u32 = 10;

/** The flags of the usage that was read last. */
export let usageFlags: u32 = 0;
let isWrittenStated: bool = false;
let minutes: u32 = 0;

/** Reads a usage object into the row at hand, and gives the place after it. */
export function readUsage(start: u32): u32 {
  const counts = row() + COUNTS;
  memory.fill(counts, 0, 24);
  usageFlags = 0;
  isWrittenStated = false;
  minutes = 0;
  for (let value = firstMember(start); value != 0;) {
    const after = usageMember(counts, value);
    if (after == NOT_WALKED) return NOT_WALKED;
    value = nextMember(after);
  }
  const hour = load<u32>(counts + (HOUR << 2));
  const written = isWrittenStated ? load<u32>(counts, WRITTEN << 2) : hour + minutes;
  store<u32>(counts, written, WRITTEN << 2);
  store<u32>(counts + (HOUR << 2), min(hour, written));
  return closedAt;
}

function usageMember(counts: u32, value: u32): u32 {
  const key = findWord(USAGE, keyStart, keyEnd);
  if (key == -1) noteEscapes(keyStart, keyEnd);
  const first = load<u8>(value);
  if (key == CACHE_CREATION && first == OPEN_BRACE) return readSplit(counts, value);
  if (key == SERVER_TOOL_USE && first == OPEN_BRACE) return readSearches(counts, value);
  forgetEscapes();
  const after = skipValue(value, 4);
  if (key == -1 || after == NOT_WALKED) return after;
  if (key <= WRITTEN) {
    usageFlags |= HAS_COUNTS;
    isWrittenStated = isWrittenStated || key == WRITTEN;
    store<u32>(counts + (key << 2), readCount(value, after));
  } else if (key == CACHE_CREATION) forgetSplit(counts);
  else if (key == SERVER_TOOL_USE) store<u32>(counts + (WEB_SEARCHES << 2), 0);
  else if (key == SPEED) noteWord(IS_FAST, FAST, value, after);
  else if (key == PLACE) noteWord(IS_US_ONLY, US, value, after);
  else if (key == ITERATIONS && first == OPEN_BRACKET && load<u8>(skipSpace(value + 1)) != 0x5d) usageFlags |= IS_ODD;
  return after;
}

/** A key that may be one of these in other letters. */
function noteEscapes(start: u32, end: u32): void {
  for (let at = start; at < end; at += 1) if (load<u8>(at) == 0x5c) usageFlags |= IS_ODD;
}

function noteWord(flag: u32, word: i32, value: u32, after: u32): void {
  usageFlags &= ~flag;
  if (load<u8>(value) != QUOTE) return;
  if (sawEscape) usageFlags |= IS_ODD;
  else if (findWord(VALUES, value + 1, after - 1) == word) usageFlags |= flag;
}

function forgetSplit(counts: u32): void {
  minutes = 0;
  store<u32>(counts + (HOUR << 2), 0);
}

function readSplit(counts: u32, start: u32): u32 {
  forgetSplit(counts);
  for (let value = firstMember(start); value != 0;) {
    const key = findWord(SPLIT, keyStart, keyEnd);
    if (key == -1) noteEscapes(keyStart, keyEnd);
    const after = skipValue(value, 5);
    if (after == NOT_WALKED) return NOT_WALKED;
    if (key == 0) minutes = readCount(value, after);
    else if (key == 1) store<u32>(counts + (HOUR << 2), readCount(value, after));
    value = nextMember(after);
  }
  return closedAt;
}

function readSearches(counts: u32, start: u32): u32 {
  store<u32>(counts + (WEB_SEARCHES << 2), 0);
  for (let value = firstMember(start); value != 0;) {
    const key = findWord(SEARCHES, keyStart, keyEnd);
    if (key == -1) noteEscapes(keyStart, keyEnd);
    const after = skipValue(value, 5);
    if (after == NOT_WALKED) return NOT_WALKED;
    if (key == 0) store<u32>(counts + (WEB_SEARCHES << 2), readCount(value, after));
    value = nextMember(after);
  }
  return closedAt;
}

/** A plain count; usage with any other is odd. */
function readCount(start: u32, end: u32): u32 {
  let number: u64 = 0;
  for (let at = start; at < end; at += 1) {
    const byte = load<u8>(at);
    if (!isDigit(byte) || at - start >= MOST_DIGITS) {
      usageFlags |= IS_ODD;
      return 0;
    }
    number = number * 10 + (byte - 0x30);
  }
  if (number > MOST) usageFlags |= IS_ODD;
  return <u32>min(number, MOST);
}
