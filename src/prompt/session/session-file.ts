import { closeSync, constants, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { formatJsonl, PRIVATE_FILE, PRIVATE_FOLDER, SkeinError, toSkeinError } from "../../core/internal.ts";

const headSchema = z.looseObject({
  type: z.literal("session"),
  version: z.literal(1),
  session: z.string(),
  parent: z.string().optional(),
  createdAt: z.string(),
  tags: z.record(z.string(), z.string()),
});

const changeSchema = z.looseObject({
  type: z.literal("slice"),
  session: z.string(),
  slice: z.string(),
  policy: z.enum(["state", "log"]),
  change: z.enum(["append", "replace"]),
  items: z.array(z.unknown()),
});

const recordSchema = z.discriminatedUnion("type", [headSchema, changeSchema]);

export type SessionHead = z.infer<typeof headSchema>;

export type SessionRecord = z.infer<typeof recordSchema>;

/** A session and its children on the disk, one JSON object a line. One process at a time writes to it. */
export type SessionFile = ReturnType<typeof openSessionFile>;

/** Reads what there is of a file; one that is not there begins with the first line. */
export function openSessionFile(path: string) {
  const bytes = readBytes(path);
  // Half a line is what a crash left of a record: it is not read, and the next record takes its place.
  let end = bytes.lastIndexOf(0x0a) + 1;
  const records = parseRecords(path, bytes.subarray(0, end).toString("utf8"));
  let unwritten = "";
  return {
    path,
    records,
    /** Writes lines; gives the error where it cannot, and then writes them with the next ones. */
    append(added: readonly SessionRecord[]): SkeinError | undefined {
      try {
        unwritten += added.map(formatJsonl).join("");
        end = writeAt(path, end, unwritten);
        unwritten = "";
        return undefined;
      } catch (cause) {
        const why = toSkeinError(cause).message;
        return new SkeinError(`The session file ${path} cannot be written: ${why}`, {
          kind: "filesystem",
          target: path,
          hint: "Free some space, or make the folder writable: what is missing is written with the next change",
          cause,
        });
      }
    },
  };
}

function parseRecords(path: string, text: string): readonly SessionRecord[] {
  const records: SessionRecord[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    try {
      const value = JSON.parse(line) as { readonly type?: unknown } | null;
      // A record of a later version stays in the file, untouched.
      if (value?.type === "session" || value?.type === "slice") records.push(recordSchema.parse(value));
    } catch (cause) {
      throw broken(path, index + 1, cause);
    }
  }
  if (records.length > 0 && records[0]?.type !== "session") throw broken(path, 1, undefined);
  return records;
}

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return Buffer.alloc(0);
    throw new SkeinError(`The session file ${path} cannot be read`, { kind: "filesystem", target: path, cause });
  }
}

/** Written in one go, behind the last whole line: a process that is killed leaves a line whole or half, never two mixed. */
function writeAt(path: string, end: number, text: string): number {
  mkdirSync(dirname(path), PRIVATE_FOLDER);
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT, PRIVATE_FILE);
  try {
    ftruncateSync(file, end);
    const bytes = Buffer.from(text);
    for (let written = 0; written < bytes.length;) {
      written += writeSync(file, bytes, written, bytes.length - written, end + written);
    }
    return end + bytes.length;
  } finally {
    closeSync(file);
  }
}

function broken(path: string, line: number, cause: unknown): SkeinError {
  return new SkeinError(`Line ${line} of the session file ${path} cannot be read`, {
    kind: "parse",
    target: path,
    hint: "It may be damaged, or from a later Skein; remove the line or give another file",
    cause,
  });
}
