import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { formatJsonl, PRIVATE_FILE, PRIVATE_FOLDER, SkeinError } from "../core/index.ts";
import type { CassetteHeader, Exchange } from "./cassette.ts";

/** A cassette that is being recorded. */
export interface CassetteWriter {
  /** Adds one line, after those before it; a failure to write is told by `close`. */
  append(exchange: Exchange): void;
  /** Waits for what was appended to be on disk. */
  close(): Promise<void>;
}

/** Starts a cassette. A file that exists already is never written over. */
export async function createCassette(path: string, header: CassetteHeader): Promise<CassetteWriter> {
  const file = await createFile(path);
  let failure: unknown;
  let queue = Promise.resolve();
  /** One write a line: a crash loses the last line at most, and never mixes two. */
  const write = (line: CassetteHeader | Exchange): void => {
    queue = queue.then(() => file.appendFile(formatJsonl(line))).catch((error: unknown) => void (failure ??= error));
  };
  write(header);
  return {
    append: write,
    async close() {
      await queue;
      await file.close();
      if (failure !== undefined) throw cannotWrite(path, failure);
    },
  };
}

async function createFile(path: string): ReturnType<typeof open> {
  try {
    await mkdir(dirname(path), PRIVATE_FOLDER);
    return await open(path, "ax", PRIVATE_FILE);
  } catch (error) {
    throw cannotWrite(path, error);
  }
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
