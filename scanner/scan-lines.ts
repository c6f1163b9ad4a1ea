import { hash, high, low, setHash } from "./hash";
import {
  closedAt,
  firstElement,
  firstMember,
  forgetEscapes,
  keyEnd,
  keyStart,
  LINE_FEED,
  nextElement,
  nextMember,
  NOT_WALKED,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  sawEscape,
  skipSpace,
  skipValue,
} from "./json";
import { parseMoment } from "./moment";
import * as table from "./row";
import { readUsage, usageFlags } from "./usage";
import { findWord } from "./words";

export { forgetTexts, rowCount, rows, blockTable } from "./row";
export { wordList } from "./words";

/** Lists of words, and the places of words in them. */
const TOP: u32 = 0;
const MESSAGE: u32 = 1;
const BLOCK: u32 = 2;
const TYPES: u32 = 3;
const BLOCK_TYPES: u32 = 4;

/** The texts that most lines of a file have alike come first: their places are those of a row's. */
const TEXTS = 4;
const TYPE = 4;
const UUID = 5;
const COST = 6;
const TIMESTAMP = 7;
const IS_SIDECHAIN = 8;
const TOP_MESSAGE = 9;
const ID = 1;
const USAGE = 2;
const STOP_REASON = 3;
const CONTENT = 4;
const MODEL_TEXT: u32 = 4;
const ID_TEXT: u32 = 5;
const BLOCK_TYPE = 0;
const CALL_ID = 1;
const NAME = 2;
const IS_ERROR = 3;
const RESULT_ID = 4;
const ASSISTANT = 0;
const USER = 1;
const PROGRESS = 2;

/** Kinds of rows: of the first the bytes do not tell what it is, of the last its words are needed too. */
const PARSE: u32 = 0;
const ANSWER: u32 = 1;
const RESULT: u32 = 2;
const OTHER: u32 = 3;
const SAYS_MORE: u32 = 4;

/** Flags of a row; those of its usage are in `usage.ts`. */
const SIDECHAIN: u32 = 1;
const FINAL: u32 = 2;
const HAS_ID: u32 = 4;
const ODD_TIME: u32 = 8;
const HAS_COST: u32 = 16;
const HAS_UUID: u32 = 32;

/** Flags of a block. */
const CALL: u32 = 1;
const ERROR: u32 = 2;

/** Lines that were nothing but counted. */
export let plainLines: u32 = 0;

/** The line at hand: whether its bytes say what it is, its type, and what a row gets of it. */
let isPlain: bool = true;
let type: i32 = -1;
let flags: u32 = 0;
let present: u32 = 0;
let usageStart: u32 = 0;
let usageEnd: u32 = 0;
let timeStart: u32 = 0;
let timeEnd: u32 = 0;
let onlyUsage: bool = false;

/**
 * Goes over whole lines and writes rows of what they state; gives the place of the first line that there was no room for, `end` where all were
 * gone over. Where only usage is asked for there are rows for what states some, and for what has to be parsed.
 */
export function scanLines(start: u32, end: u32, usageAlone: bool): u32 {
  table.startRows();
  plainLines = 0;
  onlyUsage = usageAlone;
  let at = start;
  while (at < end && !table.isFull()) {
    table.startLine();
    const after = scanLine(at);
    const lineEnd = after == NOT_WALKED ? findLineFeed(at) : after;
    if (after == NOT_WALKED || !isPlain) {
      table.forgetBlocks();
      writeRow(PARSE, at, lineEnd);
    } else finishLine(at, lineEnd);
    at = lineEnd + 1;
  }
  return at;
}

function findLineFeed(start: u32): u32 {
  let at = start;
  let feeds: u32 = 0;
  while ((feeds = i8x16.bitmask(i8x16.eq(v128.load(at), i8x16.splat(0x0a)))) == 0) at += 16;
  return at + ctz(feeds);
}

function writeRow(kind: u32, start: u32, end: u32): void {
  const row = table.row();
  store<u32>(row, kind, table.KIND);
  store<u32>(row, start, table.START);
  store<u32>(row, end, table.END);
  table.keepRow();
}

/** Walks a line that is one object, and gives the place of its line feed. */
function scanLine(start: u32): u32 {
  isPlain = true;
  type = -1;
  flags = 0;
  present = 0;
  usageStart = 0;
  timeStart = 0;
  if (load<u8>(start) != OPEN_BRACE) return NOT_WALKED;
  for (let value = firstMember(start); value != 0;) {
    const after = topMember(value);
    if (after == NOT_WALKED) return NOT_WALKED;
    value = nextMember(after);
  }
  if (closedAt == NOT_WALKED) return NOT_WALKED;
  const end = skipSpace(closedAt);
  return load<u8>(end) == LINE_FEED ? end : NOT_WALKED;
}

function topMember(value: u32): u32 {
  forgetEscapes();
  const key = findWord(TOP, keyStart, keyEnd);
  if (key == TOP_MESSAGE) return message(value);
  if (key == -1) isPlain = isPlain && !hasBackslash(keyStart, keyEnd);
  const after = skipValue(value, 1);
  if (key == -1 || after == NOT_WALKED) return after;
  const isText = load<u8>(value) == QUOTE;
  if (key < TEXTS) noteText(key, isText, value, after);
  else if (key == TYPE) {
    type = isText ? findWord(TYPES, value + 1, after - 1) : -1;
    isPlain = isPlain && !(isText && sawEscape);
  } else if (key == UUID) notePlace(table.UUID_PLACE, HAS_UUID, isText, value, after);
  else if (key == COST) notePlace(table.COST_PLACE, HAS_COST, true, value, after);
  else if (key == TIMESTAMP) {
    timeStart = value;
    timeEnd = after;
  } else if (key == IS_SIDECHAIN) flags = load<u8>(value) == 0x74 ? flags | SIDECHAIN : flags & ~SIDECHAIN;
  return after;
}

function hasBackslash(start: u32, end: u32): bool {
  for (let at = start; at < end; at += 1) if (load<u8>(at) == 0x5c) return true;
  return false;
}

/** Notes one of the texts that JavaScript reads only where they change: a backslash in it does not matter. */
function noteText(text: u32, isText: bool, value: u32, after: u32): void {
  present = isText ? present | (1 << text) : present & ~(1 << text);
  const place = table.row() + (text << 3);
  store<u32>(place, value, table.TEXT_PLACES);
  store<u32>(place, after, table.TEXT_PLACES + 4);
}

function notePlace(field: u32, flag: u32, isOne: bool, value: u32, after: u32): void {
  flags = isOne ? flags | flag : flags & ~flag;
  isPlain = isPlain && !(isOne && sawEscape);
  store<u32>(table.row() + field, value);
  store<u32>(table.row() + field + 4, after);
}

function message(start: u32): u32 {
  // Of two the last one counts.
  flags &= ~(FINAL | HAS_ID);
  present &= (1 << TEXTS) - 1;
  usageStart = 0;
  table.forgetBlocks();
  if (load<u8>(start) != OPEN_BRACE) return skipValue(start, 1);
  for (let value = firstMember(start); value != 0;) {
    const after = messageMember(value);
    if (after == NOT_WALKED) return NOT_WALKED;
    value = nextMember(after);
  }
  return closedAt;
}

function messageMember(value: u32): u32 {
  forgetEscapes();
  const key = findWord(MESSAGE, keyStart, keyEnd);
  if (key == CONTENT && !onlyUsage) return content(value);
  if (key == USAGE && load<u8>(value) == OPEN_BRACE) {
    usageStart = value;
    return (usageEnd = readUsage(value));
  }
  if (key == -1) isPlain = isPlain && !hasBackslash(keyStart, keyEnd);
  const after = skipValue(value, 2);
  if (key == -1 || after == NOT_WALKED) return after;
  const isText = load<u8>(value) == QUOTE;
  // What is no object states no usage.
  if (key == USAGE) usageStart = 0;
  else if (key == STOP_REASON) flags = isText ? flags | FINAL : flags & ~FINAL;
  else if (key == ID) {
    flags = isText ? flags | HAS_ID : flags & ~HAS_ID;
    isPlain = isPlain && !(isText && sawEscape);
    noteText(ID_TEXT, isText, value, after);
  } else if (key != CONTENT) noteText(MODEL_TEXT, isText, value, after);
  return after;
}

function content(start: u32): u32 {
  table.forgetBlocks();
  if (load<u8>(start) != OPEN_BRACKET) return skipValue(start, 2);
  for (let element = firstElement(start); element != 0;) {
    const after = load<u8>(element) == OPEN_BRACE ? block(element) : skipValue(element, 3);
    if (after == NOT_WALKED) return NOT_WALKED;
    element = nextElement(after);
  }
  return closedAt;
}

/** What the block at hand has, as its keys come. */
let blockKind: i32 = -1;
let isError: bool = false;
/** Where the texts of `BLOCK` are, by their keys: the begin is 0 of what is no text. */
const PLACES: u32 = 512;

function block(start: u32): u32 {
  blockKind = -1;
  isError = false;
  memory.fill(PLACES, 0, 64);
  for (let value = firstMember(start); value != 0;) {
    const after = blockMember(value);
    if (after == NOT_WALKED) return NOT_WALKED;
    value = nextMember(after);
  }
  if (closedAt != NOT_WALKED && blockKind != -1) noteBlock();
  return closedAt;
}

function blockMember(value: u32): u32 {
  const key = findWord(BLOCK, keyStart, keyEnd);
  if (key == -1) isPlain = isPlain && !hasBackslash(keyStart, keyEnd);
  forgetEscapes();
  const after = skipValue(value, 4);
  if (key == -1 || after == NOT_WALKED) return after;
  const isText = load<u8>(value) == QUOTE;
  isPlain = isPlain && !(isText && sawEscape);
  if (key == BLOCK_TYPE) blockKind = isText ? findWord(BLOCK_TYPES, value + 1, after - 1) : -1;
  else if (key == IS_ERROR) isError = load<u8>(value) == 0x74;
  else {
    store<u32>(PLACES + (key << 3), isText ? value + 1 : 0);
    store<u32>(PLACES + (key << 3), after - 1, 4);
  }
  return after;
}

function noteBlock(): void {
  const isCall = blockKind == 0;
  const id = PLACES + ((isCall ? CALL_ID : RESULT_ID) << 3);
  const name = PLACES + (NAME << 3);
  const isNamed = isCall && load<u32>(name) != 0;
  // A block without an id has an empty one.
  if (load<u32>(id) != 0) hash(load<u32>(id), load<u32>(id, 4));
  else hash(0, 0);
  const flagsOf = (isCall ? CALL : 0) | (isError ? ERROR : 0);
  const isNoted = table.addBlock(flagsOf, isNamed ? load<u32>(name) : 0, isNamed ? load<u32>(name, 4) : 0);
  isPlain = isPlain && isNoted;
}

/** Texts that are told where they change: of any record, of an answer; and of an answer's usage. */
const SAID: u32 = 0b000111;
const SAID_BY_ANSWER: u32 = 0b010111;
const STATED: u32 = 0b111101;

function finishLine(start: u32, end: u32): void {
  if (onlyUsage) {
    table.forgetBlocks();
    if (type == PROGRESS) writeRow(SAYS_MORE, start, end);
    else if (type == ASSISTANT && usageStart != 0) writeFound(ANSWER, start, end, STATED);
    return;
  }
  const isResult = type == USER && table.hasBlockWithout(CALL);
  if (type >= PROGRESS || (type == USER && !isResult)) {
    table.forgetBlocks();
    writeRow(SAYS_MORE, start, end);
  } else if (type == -1) {
    table.forgetBlocks();
    writeFound(OTHER, start, end, SAID);
  } else writeFound(isResult ? RESULT : ANSWER, start, end, isResult ? SAID : SAID_BY_ANSWER);
}

function writeFound(kind: u32, start: u32, end: u32, told: u32): void {
  const row = table.row();
  let changed: u32 = 0;
  for (let text: u32 = 0; text < 6; text += 1) {
    if ((present & told & (1 << text)) == 0) continue;
    const place = row + (text << 3);
    const isNew = table.isNewText(text, load<u32>(place, table.TEXT_PLACES), load<u32>(place, table.TEXT_PLACES + 4));
    if (isNew) changed |= 1 << text;
  }
  if (kind == OTHER && changed == 0) {
    plainLines += 1;
    return;
  }
  store<u32>(row, present, table.PRESENT);
  store<u32>(row, changed, table.CHANGED);
  store<u32>(row, timeStart, table.TIME_PLACE);
  store<u32>(row, timeEnd, table.TIME_PLACE + 4);
  store<u32>(row, usageStart, table.USAGE_PLACE);
  store<u32>(row, usageEnd, table.USAGE_PLACE + 4);
  if (!onlyUsage) writeIds(row);
  const hasUsage = kind == ANSWER && usageStart != 0;
  store<u32>(row, flags | (hasUsage ? usageFlags : 0), table.FLAGS);
  writeRow(kind, start, end);
}

function writeIds(row: u32): void {
  writeHash(row + table.UUID_HASH, (flags & HAS_UUID) != 0, row + table.UUID_PLACE);
  writeHash(row + table.ID_HASH, (flags & HAS_ID) != 0, row + table.TEXT_PLACES + (ID_TEXT << 3));
  const moment = timeStart == 0 ? NaN : parseMoment(timeStart, timeEnd);
  if (timeStart != 0 && isNaN(moment)) flags |= ODD_TIME;
  store<f64>(row, moment, table.MOMENT);
}

/** The hash of an id; none where there is no id. */
function writeHash(at: u32, isOne: bool, place: u32): void {
  if (isOne) hash(load<u32>(place) + 1, load<u32>(place, 4) - 1);
  else setHash(0, 0);
  store<u32>(at, low);
  store<u32>(at, high, 4);
}
