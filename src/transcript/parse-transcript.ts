import { splitJsonl } from "../core/index.ts";
import { parseLine, type TranscriptEntry } from "./parse-line.ts";
import { entriesOf } from "./load-records.ts";
import { readLines } from "./scan/read-lines.ts";

/** How a stream is read. */
export interface ParseOptions {
  /** The name of the source in problems, where it is not a path. */
  readonly path?: string;
}

/**
 * Reads a transcript as a stream: a path, or chunks of bytes. A bad line gives a problem and the rest is read. The last
 * line may be half a record that is still being written: then it gives nothing, and is no problem.
 */
export async function* parseTranscript(
  source: string | AsyncIterable<Uint8Array>,
  options: ParseOptions = {},
): AsyncGenerator<TranscriptEntry> {
  if (typeof source === "string") return yield* parseFile(source, options.path ?? source);
  const { path = "" } = options;
  for await (const { bytes: line, number, offset, terminated } of splitJsonl(source)) {
    yield* parseLine(line, { path, line: number, offset }, { isEnded: terminated });
  }
}

/** Block by block, so that a line without an end takes no more memory than the longest that is read. */
function* parseFile(source: string, path: string): Generator<TranscriptEntry> {
  let number = 0;
  for (const line of readLines(source)) yield* entriesOf(line, path, (number += 1));
}
