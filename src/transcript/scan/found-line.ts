/** What a row says of its line: `scanner/row.ts` writes these numbers, and counts the same fields in bytes. */
export const KIND = 0;
export const START = 1;
export const END = 2;
export const FLAGS = 3;
export const PRESENT = 4;
export const CHANGED = 5;
/** The lower half of a hash; the upper one follows it. */
export const UUID_LOW = 6;
export const ID_LOW = 8;
export const FIRST_BLOCK = 10;
export const BLOCKS = 11;
/** Milliseconds since 1970, in two numbers' place. */
const MOMENT = 12;
/** Six of them: input, output, cache read, cache written, of that for an hour, web searches. */
export const COUNTS = 14;
export const USAGE_PLACE = 20;
export const TIME_PLACE = 22;
export const UUID_PLACE = 24;
export const COST_PLACE = 26;
export const TEXT_PLACES = 28;
export const ROW_NUMBERS = 40;

/** Kinds of rows: a line whose bytes do not tell what it is, an answer, tools' results, a line whose words are needed; all others tell a text alone. */
export const PARSE = 0;
export const ANSWER = 1;
export const RESULT = 2;
export const SAYS_MORE = 4;

/** Flags of a row. */
export const SIDECHAIN = 1;
export const FINAL = 2;
export const HAS_ID = 4;
export const ODD_TIME = 8;
export const HAS_COST = 16;
export const HAS_UUID = 32;
export const HAS_COUNTS = 64;
/** Usage that is more than plain counts. */
export const ODD_USAGE = 128;
export const FAST = 256;
export const US_ONLY = 512;

/** Texts that many lines have alike, in the order of their places: they are told where they change. */
export const [SESSION, VERSION, CWD, AGENT, MODEL, ID] = [0, 1, 2, 3, 4, 5] as const;
export const TEXTS = 6;

/** A block's numbers: its flags, the halves of its id's hash, where the tool's name is. */
export const BLOCK_NUMBERS = 6;
export const CALL = 1;
export const ERROR = 2;

/** The words that the scanner knows, by lists: the numbers of the words in them are in `scanner`. */
export const WORDS: readonly (readonly string[])[] = [
  ["sessionId", "version", "cwd", "agentId", "type", "uuid", "costUSD", "timestamp", "isSidechain", "message"],
  ["model", "id", "usage", "stop_reason", "content"],
  ["type", "id", "name", "is_error", "tool_use_id"],
  // Of those after the first two the words are needed, or what lies within: they are parsed.
  ["assistant", "user", "progress", "system", "summary", "ai-title", "custom-title", "agent-name"],
  ["tool_use", "tool_result"],
  [
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
    "cache_creation",
    "server_tool_use",
    "speed",
    "inference_geo",
    "iterations",
  ],
  ["ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"],
  ["web_search_requests"],
  ["fast", "us"],
];

/** The lines that were found, as numbers: `row` is where those of one begin. */
export interface LineTable {
  /** All memory of the scanner: places in rows are places in it. */
  readonly bytes: Buffer;
  readonly numbers: Uint32Array;
  readonly moments: Float64Array;
  /** Where the numbers of blocks begin. */
  readonly blocks: number;
}

/** The moment of a line; NaN where it has none, or one that has to be parsed. */
export function momentAt({ moments }: LineTable, row: number): number {
  return moments[(row + MOMENT) >> 1] as number;
}

/** The bytes of a value, as text. */
export function valueAt({ bytes, numbers }: LineTable, place: number): string {
  return bytes.toString("utf8", numbers[place], numbers[place + 1]);
}

/** A string's text, where it has no backslash. */
export function textAt({ bytes, numbers }: LineTable, place: number): string {
  return bytes.toString("utf8", (numbers[place] as number) + 1, (numbers[place + 1] as number) - 1);
}
