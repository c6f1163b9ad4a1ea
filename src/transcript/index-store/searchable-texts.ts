import type { ScannedRecord } from "../scan-file.ts";

/** The words of a record, by where they stand. */
export interface SearchableTexts {
  readonly said: string;
  readonly thinking: string;
  readonly tools: string;
}

/** Of what a tool was given or gave, so much from its start and so much from its end: the rest is logs and data. */
const TOOL_HEAD = 24 * 1024;
const TOOL_TAIL = 8 * 1024;
/** Of what was said or thought, more than anyone says: it bounds the memory that one record takes. */
const SAID_HEAD = 768 * 1024;
const SAID_TAIL = 256 * 1024;

/** The texts of a record as they are searched, and shown where they are found. */
export function searchableTexts(
  record: Pick<ScannedRecord, "recordType" | "text" | "thinking" | "toolText">,
): SearchableTexts {
  // What a tool is given is JSON: with its escapes, the first word of every line would begin with an "n".
  const isJson = record.recordType === "assistant";
  const tools = shorten(record.toolText, TOOL_HEAD, TOOL_TAIL);
  return {
    said: readable(shorten(record.text, SAID_HEAD, SAID_TAIL)),
    thinking: readable(shorten(record.thinking, SAID_HEAD, SAID_TAIL)),
    tools: readable(isJson ? tools.replaceAll(ESCAPE, unescape) : tools),
  };
}

const ESCAPE = /\\(?:["\\/nrtbf])/gu;

function unescape(escape: string): string {
  const [, sign = ""] = escape;
  return sign === "n" || sign === "r" ? "\n" : `"\\/`.includes(sign) ? sign : " ";
}

function shorten(text: string, head: number, tail: number): string {
  if (text.length <= head + tail) return text;
  return `${text.slice(0, head)} … ${text.slice(-tail)}`;
}

/** SQLite reads a text only up to its first NUL. */
function readable(text: string): string {
  return text.includes("\0") ? text.replaceAll("\0", "\u{FFFD}") : text;
}
