import { momentText } from "../records/transcript-record.ts";
import { isBlank, NOT_WALKED, parse, QUOTE } from "../scan/json-bytes.ts";
import { type UsageLine, usageLineOf } from "../usage/usage-line.ts";
import type { DigestBuilder } from "./digest-builder.ts";
import type { IdHash } from "./id-table.ts";
import { parseMoment } from "./parse-moment.ts";
import {
  ABSENT,
  checkPlain,
  COST,
  createWalk,
  CWD,
  type FoundBlock,
  hashOf,
  ID,
  IS_SIDECHAIN,
  isWord,
  MODEL,
  SESSION,
  STOP_REASON,
  textOf,
  TIMESTAMP,
  TOKENS,
  TYPE,
  UUID,
  VERSION,
  type WalkedLine,
} from "./walk-line.ts";

/** Takes in the record that fills a line; false where the line must be parsed to know what it holds. */
export type LineReader = (bytes: Buffer, start: number, end: number, offset: number) => boolean;

/** Of these the words are needed, or what lies within: they are parsed. */
const PARSED = ["system", "summary", "ai-title", "custom-title", "agent-name", "progress"];

/**
 * Makes a reader that takes answers and tools' results in without parsing them: it walks their bytes once. What the walk does not
 * understand it leaves to `JSON.parse`; both ways always agree.
 */
export function createLineReader(builder: DigestBuilder): LineReader {
  const { line, walk } = createWalk();
  const { top, message } = line;
  const { facts } = builder;
  const session = createRepeated(facts.sawSession);
  const version = createRepeated(facts.sawVersion);
  const directory = createRepeated(facts.sawDirectory);
  const [uuid, id]: [IdHash, IdHash] = [
    { low: 0, high: 0 },
    { low: 0, high: 0 },
  ];
  return (bytes, start, end, offset) => {
    const after = walk(bytes, start, end);
    if (after === NOT_WALKED || !isBlank(bytes, after, end)) return false;
    const type = textOf(line, top, TYPE) ?? "";
    const isAnswer = type === "assistant";
    // A user's record without a tool's result may be a prompt: its words tell.
    if (PARSED.includes(type) || (type === "user" && !hasResult(line))) return false;
    for (const key of [CWD, VERSION, SESSION]) checkPlain(line, top, key);
    hashOf(line, top, UUID, uuid);
    hashOf(line, message, ID, id);
    const usage = isAnswer ? readUsage(line) : undefined;
    if (!line.isPlain || usage === null) return false;
    facts.sawLine();
    session(line, SESSION);
    version(line, VERSION);
    directory(line, CWD);
    if (!isAnswer && type !== "user") return true;
    const timestampMs = momentOf(line);
    builder.addMessage(isAnswer ? "answer" : "tool", isWord(line, top, IS_SIDECHAIN, "true"), uuid, id, timestampMs);
    takeBlocks(builder, line, { id, offset, timestampMs });
    if (usage !== undefined) builder.addUsage(usage, id.low === 0 ? uuid : id, timestampMs);
    return true;
  };
}

function hasResult({ blocks, found }: WalkedLine): boolean {
  for (let index = 0; index < found; index += 1) if (blocks[index]?.isCall === false) return true;
  return false;
}

/** The usage that an answer states; null where its place holds no JSON. */
function readUsage(line: WalkedLine): UsageLine | undefined | null {
  const { bytes, top, message } = line;
  if (message.starts[TOKENS] === ABSENT) return undefined;
  const usage = parse(bytes, message.starts[TOKENS] as number, message.ends[TOKENS] as number);
  if (usage === undefined) return null;
  const messageId = textOf(line, message, ID);
  const isCosted = top.starts[COST] !== ABSENT;
  return usageLineOf({
    type: "assistant",
    uuid: messageId === undefined ? textOf(line, top, UUID) : undefined,
    costUSD: isCosted ? parse(bytes, top.starts[COST] as number, top.ends[COST] as number) : undefined,
    message: {
      id: messageId,
      model: textOf(line, message, MODEL),
      usage,
      stop_reason: textOf(line, message, STOP_REASON),
    },
  });
}

function momentOf({ bytes, top }: WalkedLine): number {
  const [start, end] = [top.starts[TIMESTAMP] as number, top.ends[TIMESTAMP] as number];
  if (start === ABSENT) return Number.NaN;
  return parseMoment(bytes, start, end) ?? Date.parse(momentText(parse(bytes, start, end)) ?? "");
}

interface BlockPlace {
  readonly id: IdHash;
  readonly offset: number;
  readonly timestampMs: number;
}

function takeBlocks(builder: DigestBuilder, { blocks, found }: WalkedLine, place: BlockPlace): void {
  let calls = 0;
  for (let index = 0; index < found; index += 1) {
    const { isCall, id, name } = blocks[index] as FoundBlock;
    if (isCall) builder.startCall(id, name, place.id, place.offset + calls++, place.timestampMs);
  }
  for (let index = 0; index < found; index += 1) {
    const { isCall, id, isError } = blocks[index] as FoundBlock;
    if (!isCall) builder.finishCall(id, isError, place.timestampMs);
  }
}

/** Tells of a text only where it is another one than before: most lines of a file have the same session, version and directory. */
function createRepeated(tell: (text: string) => void): (line: WalkedLine, key: number) => void {
  let last = Buffer.alloc(0);
  return ({ bytes, top: { starts, ends } }, key) => {
    const [start, end] = [starts[key] as number, ends[key] as number];
    if (start === ABSENT || bytes[start] !== QUOTE) return;
    const { length } = last;
    if (length === end - start) {
      let at = 0;
      while (at < length && bytes[start + at] === last[at]) at += 1;
      if (at === length) return;
    }
    last = Buffer.from(bytes.subarray(start, end));
    tell(last.toString("utf8", 1, last.length - 1));
  };
}
