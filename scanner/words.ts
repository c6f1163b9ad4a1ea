// Words that are looked for: JavaScript writes them here, so that they are named in one place.

/** A list of words: the first of each length, then for each word the next of its length, then the words in 32 bytes each. */
const LIST_BYTES: u32 = 1024;
const NEXT: u32 = 32;
const WORDS: u32 = 64;
const LISTS: u32 = 1024;
const NONE: u8 = 0xff;
const LONGEST: u32 = 31;

export const NOT_FOUND: i32 = -1;

/** Where list `list` is to be written. */
export function wordList(list: u32): u32 {
  return LISTS + list * LIST_BYTES;
}

/** The number of the word that stands between two places in a list. */
export function findWord(list: u32, start: u32, end: u32): i32 {
  const length = end - start;
  if (length > LONGEST) return NOT_FOUND;
  const place = LISTS + list * LIST_BYTES;
  for (let word = load<u8>(place + length); word != NONE; word = load<u8>(place + NEXT + word)) {
    if (isSame(start, place + WORDS + ((<u32>word) << 5), length)) return word;
  }
  return NOT_FOUND;
}

function isSame(left: u32, right: u32, length: u32): bool {
  const low: u32 = i8x16.bitmask(i8x16.eq(v128.load(left), v128.load(right)));
  if (length <= 16) return ctz(~low) >= length;
  const high: u32 = i8x16.bitmask(i8x16.eq(v128.load(left, 16), v128.load(right, 16)));
  return ctz(~(low | (high << 16))) >= length;
}

/** Whether two stretches of a length are the same bytes. */
export function isSameText(left: u32, right: u32, length: u32): bool {
  let at: u32 = 0;
  for (; at + 16 <= length; at += 16) {
    if (v128.any_true(v128.xor(v128.load(left + at), v128.load(right + at)))) return false;
  }
  const same: u32 = i8x16.bitmask(i8x16.eq(v128.load(left + at), v128.load(right + at)));
  return ctz(~same) >= length - at;
}
