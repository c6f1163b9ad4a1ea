import { createReadStream } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import {
  formatJsonl,
  type JsonlRecord,
  parseJsonl,
  PRIVATE_FILE,
  PRIVATE_FOLDER,
  SkeinError,
} from "../../core/internal.ts";

/** The first line of a cassette. */
export const CassetteHeader = z.strictObject({
  type: z.literal("cassette"),
  version: z.literal(1),
  recordedAt: z.iso.datetime(),
  /** The base URL that answered. */
  upstream: z.string(),
});

export type CassetteHeader = z.infer<typeof CassetteHeader>;

const milliseconds = z.number().nonnegative();
const headers = z.record(z.string(), z.string());

/** One server-sent event as it came, or what came of one before the connection broke. */
const RecordedEvent = z.strictObject({
  /** Since the event before; for the first, since the request. */
  delayMs: milliseconds,
  text: z.string(),
});

/** What the upstream answered: whole, or as a stream of server-sent events. */
const RecordedResponse = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("body"), status: z.int(), headers, body: z.string() }),
  z.strictObject({
    type: z.literal("stream"),
    status: z.int(),
    headers,
    events: z.array(RecordedEvent),
    /** True where the upstream broke the connection after these events. */
    cut: z.boolean(),
  }),
]);

/** One request and its answer, a line of a cassette. */
export const Exchange = z.strictObject({
  type: z.literal("exchange"),
  request: z.strictObject({
    method: z.string(),
    /** With its query. */
    path: z.string(),
    headers,
    /** Parsed where it is JSON, a string where it is not, null where there is none. */
    body: z.json(),
  }),
  response: RecordedResponse,
  timing: z.strictObject({ startedAt: z.iso.datetime(), firstByteMs: milliseconds, durationMs: milliseconds }),
});

export type Exchange = z.infer<typeof Exchange>;
export type RecordedResponse = z.infer<typeof RecordedResponse>;
export type RecordedEvent = z.infer<typeof RecordedEvent>;
export type Cassette = Awaited<ReturnType<typeof readCassette>>;

/** An exchange and its line in the file, counted from 1; the header is line 1. */
export interface NumberedExchange {
  readonly line: number;
  readonly exchange: Exchange;
}

/** Reads a cassette. Half a last line, as a killed recording leaves it, is passed over; anything else wrong is an error. */
export async function readCassette(path: string) {
  let header: CassetteHeader | undefined;
  const exchanges: NumberedExchange[] = [];
  for await (const record of readRecords(path)) {
    if (record.type === "partial") continue;
    if (header === undefined) header = parseLine(CassetteHeader, record, path);
    else exchanges.push({ line: record.line.number, exchange: parseLine(Exchange, record, path) });
  }
  if (header === undefined) throw brokenLine(path, 1, "the file is empty");
  return { path, header, exchanges };
}

async function* readRecords(path: string): AsyncGenerator<JsonlRecord> {
  try {
    yield* parseJsonl(createReadStream(path));
  } catch (error) {
    throw new SkeinError(`Cannot read the cassette ${path}: ${(error as Error).message}`, {
      kind: "filesystem",
      target: path,
      hint: "Record it first, with a recording proxy in front of the real API.",
      cause: error,
    });
  }
}

function parseLine<Line>(
  schema: z.ZodType<Line>,
  record: Exclude<JsonlRecord, { type: "partial" }>,
  path: string,
): Line {
  const { number: line } = record.line;
  if (record.type === "broken") throw brokenLine(path, line, record.message);
  const parsed = schema.safeParse(record.value);
  if (!parsed.success) throw brokenLine(path, line, z.prettifyError(parsed.error));
  return parsed.data;
}

function brokenLine(path: string, line: number, problem: string): SkeinError {
  const expected = line === 1 ? "a cassette header of version 1" : "an exchange";
  return new SkeinError(`${path}, line ${line}: expected ${expected}: ${problem}`, {
    kind: "parse",
    target: `${path}:${line}`,
    hint: "Record the cassette again, or fix the line: docs/formats/cassette.md describes the format.",
  });
}

/** A cassette that is being recorded. A failure to write is told by `close`. */
export type CassetteWriter = Awaited<ReturnType<typeof createCassette>>;

/** Starts a cassette. A file that exists already is never written over. */
export async function createCassette(path: string, header: CassetteHeader) {
  const file = await mkdir(dirname(path), PRIVATE_FOLDER)
    .then(() => open(path, "ax", PRIVATE_FILE))
    .catch((error: unknown) => {
      throw cannotWrite(path, error);
    });
  let failure: unknown;
  let queue = Promise.resolve();
  // One write a line: a crash loses the last line at most, and never mixes two.
  const write = (line: CassetteHeader | Exchange): void => {
    queue = queue.then(() => file.appendFile(formatJsonl(line))).catch((error: unknown) => void (failure ??= error));
  };
  write(header);
  return {
    append: (exchange: Exchange): void => write(exchange),
    async close(): Promise<void> {
      await queue;
      await file.close();
      if (failure !== undefined) throw cannotWrite(path, failure);
    },
  };
}

function cannotWrite(path: string, cause: unknown): SkeinError {
  const { code, message } = cause as NodeJS.ErrnoException;
  const exists = code === "EEXIST";
  return new SkeinError(exists ? `The cassette ${path} exists` : `Cannot write the cassette ${path}: ${message}`, {
    kind: "filesystem",
    target: path,
    hint: exists ? "Delete it to record again, or choose another path." : undefined,
    cause,
  });
}
