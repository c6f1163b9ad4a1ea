import { parseJson } from "../../core/internal.ts";
import { momentText } from "../records/moment-text.ts";
import {
  ANSWER,
  BLOCK_NUMBERS,
  BLOCKS,
  CALL,
  CHANGED,
  CWD,
  ERROR,
  FIRST_BLOCK,
  FLAGS,
  ID_LOW,
  KIND,
  type LineTable,
  momentAt,
  ODD_TIME,
  PRESENT,
  RESULT,
  SESSION,
  SIDECHAIN,
  TIME_PLACE,
  UUID_LOW,
  valueAt,
  VERSION,
} from "../scan/found-line.ts";
import { createFoundTexts } from "../scan/found-texts.ts";
import { usageLineAt } from "../scan/found-usage.ts";
import type { DigestBuilder } from "./digest-builder.ts";
import { type IdHash, NO_ID } from "./id-table.ts";

/** Takes in a line that was found; false where it must be parsed to know what it holds. */
export type LineTaker = (table: LineTable, row: number, offset: number) => boolean;

/** Makes what takes a file's lines into its digest as `addRecord` does with those that were parsed: both ways always agree. */
export function createLineTaker(builder: DigestBuilder): LineTaker {
  const found = createFoundTexts();
  const tell = createTeller(builder, found.texts);
  const [uuid, id]: readonly [IdHash, IdHash] = [{ ...NO_ID }, { ...NO_ID }];
  return (table, row, offset) => {
    const { numbers } = table;
    tell.changed(numbers[row + CHANGED] as number);
    if (!found.take(table, row)) return false;
    const kind = numbers[row + KIND];
    const usage = kind === ANSWER ? usageLineAt(table, row, found.texts, true) : undefined;
    if (usage === null) return false;
    builder.facts.sawLine();
    tell.present(numbers[row + PRESENT] as number);
    if (kind !== ANSWER && kind !== RESULT) return true;
    const timestampMs = timeOf(table, row);
    const isSidechain = ((numbers[row + FLAGS] as number) & SIDECHAIN) !== 0;
    readHash(numbers, row + UUID_LOW, uuid);
    readHash(numbers, row + ID_LOW, id);
    builder.addMessage(kind === ANSWER ? "answer" : "tool", isSidechain, uuid, id, timestampMs);
    takeBlocks(builder, table, row, { id, offset, timestampMs });
    if (usage !== undefined) builder.addUsage(usage, id.low === 0 ? uuid : id, timestampMs);
    return true;
  };
}

/** Tells of a text once, with the first line that has it and is taken. */
function createTeller({ facts }: DigestBuilder, texts: readonly string[]) {
  let untold = 0;
  return {
    changed: (changed: number) => void (untold |= changed),
    present(present: number): void {
      const due = present & untold;
      if (due === 0) return;
      untold &= ~due;
      if ((due & (1 << SESSION)) !== 0) facts.sawSession(texts[SESSION] as string);
      if ((due & (1 << VERSION)) !== 0) facts.sawVersion(texts[VERSION] as string);
      if ((due & (1 << CWD)) !== 0) facts.sawDirectory(texts[CWD] as string);
    },
  };
}

function timeOf(table: LineTable, row: number): number {
  if (((table.numbers[row + FLAGS] as number) & ODD_TIME) === 0) return momentAt(table, row);
  return Date.parse(momentText(parseJson(valueAt(table, row + TIME_PLACE))) ?? "");
}

interface BlockPlace {
  readonly id: IdHash;
  readonly offset: number;
  readonly timestampMs: number;
}

function takeBlocks(builder: DigestBuilder, { bytes, numbers, blocks }: LineTable, row: number, place: BlockPlace) {
  const first = blocks + (numbers[row + FIRST_BLOCK] as number) * BLOCK_NUMBERS;
  const last = first + (numbers[row + BLOCKS] as number) * BLOCK_NUMBERS;
  const { id, offset, timestampMs } = place;
  const called = { ...NO_ID };
  let calls = 0;
  for (let block = first; block < last; block += BLOCK_NUMBERS) {
    if (((numbers[block] as number) & CALL) === 0) continue;
    const name = bytes.toString("utf8", numbers[block + 3], numbers[block + 4]);
    readHash(numbers, block + 1, called);
    builder.startCall(called, name, id, offset + calls++, timestampMs);
  }
  for (let block = first; block < last; block += BLOCK_NUMBERS) {
    const flags = numbers[block] as number;
    if ((flags & CALL) !== 0) continue;
    readHash(numbers, block + 1, called);
    builder.finishCall(called, (flags & ERROR) !== 0, timestampMs);
  }
}

/** One object serves all lines, so that a line costs no memory. */
function readHash(numbers: Uint32Array, place: number, into: IdHash): void {
  into.low = numbers[place] as number;
  into.high = numbers[place + 1] as number;
}
