import { constants, createReadStream } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { parseJsonl, splitJsonl, type JsonlRecord } from "./jsonl.ts";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "./places/private-files.ts";

/** A file of JSON Lines that only grows, on the disk after every line. One process writes it at a time. */
export interface LineFile {
  /** The whole lines that are there; nothing where there is no file. Half a line is what a crash left: it was never said to be written. */
  records(): AsyncGenerator<JsonlRecord, void, void>;
  /** Adds a line, with its end; it is safe when this resolves. */
  append(line: string): Promise<void>;
}

/** A line file at a path; the file and its folder are made by the first line. */
export function createLineFile(path: string): LineFile {
  let end: Promise<number> | undefined;
  return {
    async *records() {
      for await (const record of parseJsonl(readBytes(path))) if (record.line.terminated) yield record;
    },
    async append(line) {
      const start = end ?? endOfLastLine(path);
      const written = start.then((offset) => writeLine(path, offset, line));
      // After a failure the next line is written over what there is of this one.
      end = written.catch(() => start);
      await written;
    },
  };
}

async function endOfLastLine(path: string): Promise<number> {
  let end = 0;
  for await (const { offset, bytes, terminated } of splitJsonl(readBytes(path))) {
    if (terminated) end = offset + bytes.length + 1;
  }
  return end;
}

async function writeLine(path: string, offset: number, line: string): Promise<number> {
  await mkdir(dirname(path), PRIVATE_FOLDER);
  await using file = await open(path, constants.O_RDWR | constants.O_CREAT, PRIVATE_FILE);
  await file.truncate(offset);
  const { bytesWritten } = await file.write(line, offset);
  await file.datasync();
  return offset + bytesWritten;
}

async function* readBytes(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path) as AsyncIterable<Uint8Array>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
