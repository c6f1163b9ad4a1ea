import { createReadStream } from "node:fs";
import { splitJsonl } from "../core/index.ts";
import { parseLine, type TranscriptEntry } from "./parse-line.ts";
import { unreadable } from "./unreadable.ts";

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
  const path = options.path ?? (typeof source === "string" ? source : "");
  const bytes = typeof source === "string" ? readFile(source) : source;
  for await (const { bytes: line, number, offset, terminated } of splitJsonl(bytes)) {
    yield* parseLine(line, { path, line: number, offset }, { isEnded: terminated });
  }
}

async function* readFile(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw unreadable(path, error);
  }
}
