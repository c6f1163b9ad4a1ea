import { kindOf } from "../digest/digest-builder.ts";
import type { MessageKind } from "../digest/file-digest.ts";
import { type FileLine, readLines } from "../read/read-lines.ts";
import { scanLine, type ScannedRecord } from "../scan/scan-file.ts";
import { searchableTexts, type SearchableTexts } from "./searchable-texts.ts";

/** A record with words, and the words. */
export interface WordRecord {
  readonly record: ScannedRecord;
  readonly kind: MessageKind;
  readonly texts: SearchableTexts;
}

/** A line, or a part of one that another record was glued to, that was gone over. */
export interface WordLine {
  readonly records: readonly WordRecord[];
  readonly lines: number;
  readonly brokenLines: number;
  /** The place after it. */
  readonly end: number;
}

/** Reads the words of a file from one byte to another, line by line. */
export function* wordsOfFile(path: string, from: number, to: number): Generator<WordLine, void> {
  for (const line of readLines(path, { fromOffset: from })) {
    if (line.offset >= to) return;
    yield wordsOfLine(line, to);
  }
}

/** A last line without a line feed may go on: what of it was not there when the totals read it is left for the next time. */
function wordsOfLine(line: FileLine, to: number): WordLine {
  const entries = scanLine(line).filter(({ offset }) => offset < to);
  const records = entries.flatMap((entry): readonly WordRecord[] => {
    const kind = entry.type === "record" ? kindOf(entry) : undefined;
    if (entry.type !== "record" || kind === undefined) return [];
    const texts = searchableTexts(entry);
    const { said, thinking, tools } = texts;
    return said === "" && thinking === "" && tools === "" ? [] : [{ record: entry, kind, texts }];
  });
  const brokenLines = entries.filter(({ type }) => type === "broken").length;
  const end = Math.min(to, line.offset + line.lengthBytes + 1);
  return { records, lines: entries.length, brokenLines, end };
}
