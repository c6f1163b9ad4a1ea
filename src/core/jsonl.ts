const LINE_FEED = 0x0a;

/** One line of a JSON Lines file, as bytes: `offset` and `bytes.length` find it again without reading the rest. */
export interface JsonlLine {
  /** Counted from 1. */
  readonly number: number;
  /** The first byte of the line, counted from the start of the source. */
  readonly offset: number;
  readonly bytes: Buffer;
  /** False for a last line without a line feed: of a growing file it may be half a record. */
  readonly terminated: boolean;
}

/** A line that was read: its value, or why it has none. A half last line is told apart from a broken one. */
export type JsonlRecord =
  | { readonly type: "value"; readonly value: unknown; readonly line: JsonlLine }
  | { readonly type: "broken"; readonly message: string; readonly line: JsonlLine }
  | { readonly type: "partial"; readonly line: JsonlLine };

/** Reads JSON Lines from chunks of bytes. Blank lines are passed over; a broken line does not stop the rest. */
export async function* parseJsonl(source: AsyncIterable<Uint8Array>): AsyncGenerator<JsonlRecord> {
  for await (const line of splitJsonl(source)) {
    const text = line.bytes.toString("utf8").trim();
    if (text === "") continue;
    yield parseLine(text, line);
  }
}

/** Splits on the byte LF and on nothing else: a line separator inside a string is part of the record. */
export async function* splitJsonl(source: AsyncIterable<Uint8Array>): AsyncGenerator<JsonlLine> {
  let pending: Buffer[] = [];
  let offset = 0;
  let number = 1;
  for await (const chunk of source) {
    const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    for (let end = buffer.indexOf(LINE_FEED); end !== -1; end = buffer.indexOf(LINE_FEED, start)) {
      const bytes = Buffer.concat([...pending, buffer.subarray(start, end)]);
      pending = [];
      yield { number, offset, bytes, terminated: true };
      number += 1;
      offset += bytes.length + 1;
      start = end + 1;
    }
    if (start < buffer.length) pending.push(Buffer.from(buffer.subarray(start)));
  }
  const rest = Buffer.concat(pending);
  if (rest.length > 0) yield { number, offset, bytes: rest, terminated: false };
}

export function formatJsonl(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

function parseLine(text: string, line: JsonlLine): JsonlRecord {
  try {
    return { type: "value", value: JSON.parse(text), line };
  } catch (error) {
    if (!line.terminated) return { type: "partial", line };
    return { type: "broken", message: error instanceof Error ? error.message : String(error), line };
  }
}

/** The value that a text stands for; undefined where it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
