import { parseJson } from "../../core/internal.ts";
import { type TokenUsage, type UsageLine, usageLineOf } from "../usage/usage-line.ts";
import { momentText } from "../records/moment-text.ts";
import {
  AGENT,
  COST_PLACE,
  COUNTS,
  CWD,
  FAST,
  FINAL,
  FLAGS,
  HAS_COST,
  HAS_COUNTS,
  HAS_ID,
  HAS_UUID,
  ID,
  type LineTable,
  MODEL,
  ODD_USAGE,
  PRESENT,
  SESSION,
  SIDECHAIN,
  TEXT_PLACES,
  textAt,
  TIME_PLACE,
  US_ONLY,
  USAGE_PLACE,
  UUID_PLACE,
  valueAt,
} from "./found-line.ts";

/**
 * All that an answer says of usage; null where a place holds no JSON. `texts` are the line's. One literal makes it: spreading takes ten times as long.
 * Who knows responses by their hashes, and the line's time, gets ids of the offline model alone, and no time.
 */
export function usageLineAt(
  table: LineTable,
  row: number,
  texts: readonly string[],
  isHashed: boolean,
): UsageLine | undefined | null {
  const { numbers } = table;
  const flags = numbers[row + FLAGS] as number;
  if (numbers[row + USAGE_PLACE] === 0 || (flags & (HAS_ID | HAS_UUID)) === 0) return undefined;
  if ((flags & (ODD_USAGE | HAS_COST)) !== 0) return parsedUsage(table, row, texts);
  if ((flags & HAS_COUNTS) === 0) return undefined;
  const present = numbers[row + PRESENT] as number;
  return {
    messageId: isHashed ? offlineIdAt(table, row) : usageIdAt(table, row),
    model: (present & (1 << MODEL)) === 0 ? "unknown" : (texts[MODEL] as string),
    usage: tokensAt(numbers, row + COUNTS),
    isFast: (flags & FAST) !== 0,
    isUsOnly: (flags & US_ONLY) !== 0,
    isDamaged: false,
    advisors: NO_ADVISORS,
    isFinal: (flags & FINAL) !== 0,
    timestamp: isHashed || numbers[row + TIME_PLACE] === 0 ? undefined : timestampAt(table, row),
    sessionId: (present & (1 << SESSION)) === 0 ? undefined : texts[SESSION],
    agentId: (present & (1 << AGENT)) === 0 ? undefined : texts[AGENT],
    isSidechain: (flags & SIDECHAIN) !== 0,
    cwd: (present & (1 << CWD)) === 0 ? undefined : texts[CWD],
    recordedCostUsd: undefined,
  };
}

const NO_ADVISORS: UsageLine["advisors"] = [];

/** The tokens that stand in numbers from `counts` on. */
function tokensAt(numbers: Uint32Array, counts: number): TokenUsage {
  const [written, hour] = [numbers[counts + 3] as number, numbers[counts + 4] as number];
  return {
    inputTokens: numbers[counts] as number,
    outputTokens: numbers[counts + 1] as number,
    cacheReadTokens: numbers[counts + 2] as number,
    cacheWriteTokens: written,
    cacheWrite5mTokens: written - hour,
    cacheWrite1hTokens: hour,
    webSearches: numbers[counts + 5] as number,
  };
}

/** The id that an answer's usage counts by: the response's, or the record's own. */
function usageIdAt(table: LineTable, row: number): string {
  return textAt(table, usageIdPlace(table, row));
}

function usageIdPlace({ numbers }: LineTable, row: number): number {
  return ((numbers[row + FLAGS] as number) & HAS_ID) === 0 ? row + UUID_PLACE : row + TEXT_PLACES + ID * 2;
}

/** After this many bytes of a string with its quote, ids of the offline model have an `o`, and others have none. */
const OFFLINE_AT = 5;

function offlineIdAt(table: LineTable, row: number): string {
  const place = usageIdPlace(table, row);
  return table.bytes[(table.numbers[place] as number) + OFFLINE_AT] === 0x6f ? textAt(table, place) : "";
}

/** A time as all versions write it is a text without a backslash: it is not parsed. */
function timestampAt(table: LineTable, row: number): string | undefined {
  const text = valueAt(table, row + TIME_PLACE);
  if (text.startsWith('"') && !text.includes("\\")) return text.slice(1, -1);
  return momentText(parseJson(text));
}

/** What is more than plain counts. */
function parsedUsage(table: LineTable, row: number, texts: readonly string[]): UsageLine | undefined | null {
  const { numbers } = table;
  const [flags, present] = [numbers[row + FLAGS] as number, numbers[row + PRESENT] as number];
  const usage = parseJson(valueAt(table, row + USAGE_PLACE));
  if (usage === undefined) return null;
  const textOf = (text: number): string | undefined => ((present & (1 << text)) === 0 ? undefined : texts[text]);
  const id = (flags & HAS_ID) === 0 ? undefined : textAt(table, row + TEXT_PLACES + ID * 2);
  return usageLineOf({
    type: "assistant",
    uuid: id === undefined ? textAt(table, row + UUID_PLACE) : undefined,
    costUSD: (flags & HAS_COST) === 0 ? undefined : parseJson(valueAt(table, row + COST_PLACE)),
    timestamp: numbers[row + TIME_PLACE] === 0 ? undefined : timestampAt(table, row),
    sessionId: textOf(SESSION),
    agentId: textOf(AGENT),
    cwd: textOf(CWD),
    isSidechain: (flags & SIDECHAIN) !== 0,
    message: { id, model: textOf(MODEL), usage, stop_reason: (flags & FINAL) === 0 ? undefined : "" },
  });
}
