import { BACKSLASH, parse } from "./json-bytes.ts";
import { CHANGED, type LineTable, PRESENT, TEXT_PLACES, TEXTS, textAt } from "./found-line.ts";

/** The texts that many lines have alike, such as their session's id. */
export interface FoundTexts {
  /** By their numbers: what the line that was taken in last has, where it has any. */
  readonly texts: readonly string[];
  /** Takes in what is new in a line; false where one of its texts is no JSON. */
  take(table: LineTable, row: number): boolean;
}

/** Reads a text only where it is another one than in the line before. */
export function createFoundTexts(): FoundTexts {
  const texts = Array.from({ length: TEXTS }, () => "");
  let broken = 0;
  return {
    texts,
    take(table, row) {
      const changed = table.numbers[row + CHANGED] as number;
      for (let text = 0; changed >> text !== 0; text += 1) {
        if (((changed >> text) & 1) === 0) continue;
        const found = readText(table, row + TEXT_PLACES + text * 2);
        texts[text] = found ?? "";
        broken = found === undefined ? broken | (1 << text) : broken & ~(1 << text);
      }
      return ((table.numbers[row + PRESENT] as number) & broken) === 0;
    },
  };
}

function readText(table: LineTable, place: number): string | undefined {
  const { bytes, numbers } = table;
  const [start, end] = [numbers[place] as number, numbers[place + 1] as number];
  if (!bytes.subarray(start, end).includes(BACKSLASH)) return textAt(table, place);
  const value = parse(bytes, start, end);
  return typeof value === "string" ? value : undefined;
}
