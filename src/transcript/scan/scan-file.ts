import { type FileLine, readLines, type ReadOptions, skipMark } from "../read/read-lines.ts";
import {
  blocksOf,
  blocksOfType,
  type ContentBlock,
  type Fields,
  isObject,
  string,
  textOf,
  thinkingOf,
  userKindOf,
} from "../records/content.ts";
import { titleIn } from "../records/session-title.ts";
import { momentText } from "../records/moment-text.ts";
import { unwrapProgress } from "../records/unwrap-progress.ts";
import { usageLineOf } from "../usage/usage-line.ts";
import { isBlank, NOT_WALKED, parse, skipValue, walkObject } from "./json-bytes.ts";
import { settledStretches } from "./recover-records.ts";

/** What one record of a file is: all that an index keeps of it. */
export type ScannedRecord = Readonly<ReturnType<typeof toScanned>>;

export interface ScannedDamage extends Pick<ScannedRecord, "offset" | "lengthBytes"> {
  readonly type: "broken";
}

/** Only of these is more than the top level needed; the others, often the longest lines, are not parsed. */
const PARSED = new Set("user assistant system summary ai-title custom-title agent-name progress".split(" "));
const TOP_LEVEL = new Set(
  "type uuid parentUuid timestamp sessionId agentId isSidechain cwd version gitBranch".split(" "),
);

/**
 * Goes over a file from a byte on, and gives what each record is. It returns the byte to go on from: a whole record at the
 * end needs no line feed, half of one is left for the next time.
 */
export function* scanFile(path: string, options: ReadOptions = {}): Generator<ScannedRecord | ScannedDamage, number> {
  let next = options.fromOffset ?? 0;
  for (const line of readLines(path, options)) {
    const entries = scanLine(line);
    yield* entries;
    const last = entries.at(-1);
    if (line.isEnded) next = line.offset + line.lengthBytes + 1;
    else if (last !== undefined) next = last.offset + last.lengthBytes;
  }
  return next;
}

/** What the records of one line are. Of a line without an end, only what is settled. */
export function scanLine(line: FileLine): readonly (ScannedRecord | ScannedDamage)[] {
  const { bytes, end, offset } = line;
  const start = skipMark(bytes, line.start, offset);
  const fields = line.isTooLong || isBlank(bytes, start, end) ? undefined : readTopLevel(bytes, start, end);
  if (fields === undefined || PARSED.has(string(fields["type"]) ?? "")) return parseLine(line);
  return [toScanned(fields, offset - line.start + start, end - start)];
}

/** The same of a line that is known to have to be parsed. */
export function parseLine({ isTooLong, ...line }: FileLine): readonly (ScannedRecord | ScannedDamage)[] {
  const { bytes, end, offset, lengthBytes, isEnded } = line;
  if (isTooLong) return isEnded ? [{ type: "broken", offset, lengthBytes }] : [];
  const base = offset - line.start;
  const start = skipMark(bytes, line.start, offset);
  if (isBlank(bytes, start, end)) return [];
  const value = parse(bytes, start, end);
  if (isObject(value)) return [toScanned(value, base + start, end - start)];
  return settledStretches(bytes, start, end, isEnded).map((stretch) => {
    const place = { offset: base + stretch.start, lengthBytes: stretch.end - stretch.start };
    if (!isObject(stretch.value)) return { type: "broken", ...place };
    return toScanned(stretch.value, place.offset, place.lengthBytes);
  });
}

/** The plain fields of a record that fills its line; undefined where the line must be parsed to know. */
function readTopLevel(bytes: Buffer, start: number, end: number): Fields | undefined {
  const fields: Record<string, unknown> = {};
  const after = walkObject(bytes, start, end, (keyStart, keyEnd, valueStart) => {
    const valueEnd = skipValue(bytes, valueStart, end, 1);
    const key = bytes.toString("utf8", keyStart, keyEnd);
    if (key.includes("\\")) return NOT_WALKED;
    if (TOP_LEVEL.has(key) && valueEnd !== NOT_WALKED) fields[key] = parse(bytes, valueStart, valueEnd);
    return valueEnd;
  });
  return after !== NOT_WALKED && isBlank(bytes, after, end) ? fields : undefined;
}

function toScanned(own: Fields, offset: number, lengthBytes: number) {
  const record = unwrapProgress(own) ?? own;
  const message = isObject(record["message"]) ? record["message"] : {};
  const blocks = blocksOf(message["content"]);
  return {
    type: "record" as const,
    /** The record's first byte in the file; with the length it can be read again by itself. */
    offset,
    lengthBytes,
    /** Empty where it has none; of a sub-agent's message in a progress record, the message's. */
    recordType: string(record["type"]) ?? "",
    uuid: string(record["uuid"]),
    parentUuid: string(record["parentUuid"]),
    /** Of a summary: the record, often of another file, whose session it is the title of. */
    leafUuid: string(record["leafUuid"]),
    timestamp: momentText(record["timestamp"]),
    sessionId: string(record["sessionId"]),
    agentId: string(record["agentId"]),
    isSidechain: record["isSidechain"] === true,
    cwd: string(record["cwd"]),
    version: string(record["version"]),
    gitBranch: string(record["gitBranch"]),
    messageId: string(message["id"]),
    model: string(message["model"]),
    stopReason: string(message["stop_reason"]),
    isPrompt: record["type"] === "user" && userKindOf(record, blocks) === "prompt",
    usage: usageLineOf(record),
    toolUses: blocksOfType(blocks, "tool_use").map(({ id, name, input }) => ({
      id: string(id) ?? "",
      name: string(name) ?? "",
      /** The file that it is about. */
      path: pathIn(input),
    })),
    toolResults: blocksOfType(blocks, "tool_result").map((block) => ({
      toolUseId: string(block["tool_use_id"]) ?? "",
      isError: block["is_error"] === true,
    })),
    /** What was said, or the title that the record gives. */
    text: textOf(blocks) || titleIn(record) || (record["type"] === "system" ? (string(record["content"]) ?? "") : ""),
    thinking: thinkingOf(blocks),
    toolText: toolTextOf(blocks),
  };
}

function pathIn(input: unknown): string | undefined {
  const fields = (typeof input === "object" && input !== null ? input : {}) as Readonly<Record<string, unknown>>;
  return string(fields["file_path"]) ?? string(fields["notebook_path"]) ?? string(fields["path"]);
}

function toolTextOf(blocks: readonly ContentBlock[]): string {
  const texts = blocks.flatMap((block) => {
    if (block.type === "tool_use") return JSON.stringify(block["input"] ?? {});
    return block.type === "tool_result" ? textOf(blocksOf(block["content"])) : [];
  });
  return texts.join("\n");
}
