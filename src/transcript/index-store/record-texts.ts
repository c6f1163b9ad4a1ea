import { buildMessages } from "../model/build-messages.ts";
import { isObject, string } from "../model/content.ts";
import { parseLine } from "../parse-line.ts";
import { unwrapProgress } from "../model/progress-records.ts";
import { parseRecord, rawOf } from "../records/transcript-record.ts";
import { readRange } from "./file-marks.ts";
import { copyPath, type IndexSetting } from "./index-setting.ts";
import { readKept } from "./kept-file.ts";
import { searchableTexts, type SearchableTexts } from "./searchable-texts.ts";

/** Where a record stands. */
export interface RecordAddress {
  readonly path: string;
  readonly offset: number;
  readonly lengthBytes: number;
  readonly uuid: string | null;
  readonly isPurged: number;
}

/** Reads the texts of one record again, from its file or from the kept copy; undefined where neither has it. */
export function readTexts(setting: IndexSetting, address: RecordAddress): SearchableTexts | undefined {
  const { path, offset } = address;
  for (const entry of parseLine(readBytes(setting, address), { path, line: 0, offset })) {
    const own = entry.type === "record" ? rawOf(entry.record) : undefined;
    const raw = isObject(own) ? (unwrapProgress(own) ?? own) : undefined;
    // The file may have been written anew since it was read.
    if (raw === undefined || (string(raw["uuid"]) ?? null) !== address.uuid) continue;
    const { record } = parseRecord(raw);
    const [message] = buildMessages([record]);
    const tools = [
      ...(message?.toolUses.map(({ input }) => JSON.stringify(input ?? {})) ?? []),
      ...(message?.toolResults.map(({ text }) => text) ?? []),
    ];
    return searchableTexts({
      recordType: record.type,
      text: message?.text ?? titleOf(raw),
      thinking: message?.thinking ?? "",
      toolText: tools.join("\n"),
    });
  }
  return undefined;
}

function readBytes(setting: IndexSetting, { path, offset, lengthBytes, isPurged }: RecordAddress): Buffer {
  try {
    if (isPurged === 0) return readRange(path, offset, lengthBytes);
  } catch {
    // Deleted since the last refresh: the copy has it.
  }
  try {
    return readKept(copyPath(setting, path), offset, lengthBytes);
  } catch {
    return Buffer.alloc(0);
  }
}

function titleOf(raw: Readonly<Record<string, unknown>>): string {
  return string(raw["aiTitle"] ?? raw["customTitle"] ?? raw["content"]) ?? "";
}
