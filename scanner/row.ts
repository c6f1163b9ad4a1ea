// What is found, as rows of numbers that JavaScript reads: `src/transcript/scan/found-line.ts` names the same places.
import { low, high } from "./hash";
import { isSameText } from "./words";

/** A row's fields, as the bytes after its begin. */
export const KIND: u32 = 0;
export const START: u32 = 4;
export const END: u32 = 8;
export const FLAGS: u32 = 12;
export const PRESENT: u32 = 16;
export const CHANGED: u32 = 20;
export const UUID_HASH: u32 = 24;
export const ID_HASH: u32 = 32;
export const FIRST_BLOCK: u32 = 40;
export const BLOCKS: u32 = 44;
export const MOMENT: u32 = 48;
export const COUNTS: u32 = 56;
export const USAGE_PLACE: u32 = 80;
export const TIME_PLACE: u32 = 88;
export const UUID_PLACE: u32 = 96;
export const COST_PLACE: u32 = 104;
export const TEXT_PLACES: u32 = 112;
const ROW_BYTES: u32 = 160;
const BLOCK_BYTES: u32 = 24;

const ROWS: u32 = 65_536;
const MOST_ROWS: u32 = 2048;
const BLOCK_TABLE: u32 = ROWS + MOST_ROWS * ROW_BYTES;
const MOST_BLOCKS: u32 = 8192;
const LAST_TEXTS: u32 = BLOCK_TABLE + MOST_BLOCKS * BLOCK_BYTES;
/** Texts that are longer count as changed each time. */
const LONGEST_TEXT: u32 = 2032;
const TEXT_BYTES: u32 = 2064;
const TEXTS: u32 = 6;

export let rowCount: u32 = 0;
let blockCount: u32 = 0;
let firstBlock: u32 = 0;

export function rows(): u32 {
  return ROWS;
}

export function blockTable(): u32 {
  return BLOCK_TABLE;
}

export function startRows(): void {
  rowCount = 0;
  blockCount = 0;
}

/** Forgets the texts of the file before. */
export function forgetTexts(): void {
  for (let text: u32 = 0; text < TEXTS; text += 1) store<u32>(LAST_TEXTS + text * TEXT_BYTES, 0);
}

/** The row that the line at hand is written to; it counts when `keepRow` says so. */
export function row(): u32 {
  return ROWS + rowCount * ROW_BYTES;
}

export function keepRow(): void {
  const at = row();
  store<u32>(at, firstBlock, FIRST_BLOCK);
  store<u32>(at, blockCount - firstBlock, BLOCKS);
  rowCount += 1;
}

export function isFull(): bool {
  return rowCount == MOST_ROWS || blockCount > MOST_BLOCKS / 2;
}

export function startLine(): void {
  firstBlock = blockCount;
}

export function forgetBlocks(): void {
  blockCount = firstBlock;
}

/** Notes a block by the hash that was made last; false where a line has more of them than there is room for. */
export function addBlock(flags: u32, nameStart: u32, nameEnd: u32): bool {
  if (blockCount == MOST_BLOCKS) return false;
  const at = BLOCK_TABLE + blockCount * BLOCK_BYTES;
  store<u32>(at, flags);
  store<u32>(at, low, 4);
  store<u32>(at, high, 8);
  store<u32>(at, nameStart, 12);
  store<u32>(at, nameEnd, 16);
  blockCount += 1;
  return true;
}

export function hasBlocks(): bool {
  return blockCount > firstBlock;
}

/** Whether one of the line's blocks has none of these flags. */
export function hasBlockWithout(flags: u32): bool {
  for (let block = firstBlock; block < blockCount; block += 1) {
    if ((load<u32>(BLOCK_TABLE + block * BLOCK_BYTES) & flags) == 0) return true;
  }
  return false;
}

/** Whether a text is another one than the last of its kind: it is the last one then. */
export function isNewText(text: u32, start: u32, end: u32): bool {
  const last = LAST_TEXTS + text * TEXT_BYTES;
  const length = end - start;
  // With one more, so that an empty text is not none.
  if (load<u32>(last) == length + 1 && isSameText(start, last + 16, length)) return false;
  store<u32>(last, length > LONGEST_TEXT ? 0 : length + 1);
  if (length <= LONGEST_TEXT) memory.copy(last + 16, start, length);
  return true;
}
