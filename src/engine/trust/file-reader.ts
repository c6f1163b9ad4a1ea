import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { SkeinError } from "../../core/index.ts";

/** More than this is not a folder's configuration, and would take too long to look at. */
const MOST_FILES = 10_000;
const MOST_BYTES = 256 * 1024 * 1024;

/** A file as it was when it was read. */
export interface ReadFile {
  readonly path: string;
  readonly sha256: string;
  readonly text: string;
}

/** Reads files, each once, within a limit for all of them together. */
export interface FileReader {
  /** A regular file, links followed; undefined for anything else. */
  read(path: string): Promise<ReadFile | undefined>;
  /** All that was read, by path. */
  readonly files: ReadonlyMap<string, ReadFile>;
}

/** Makes a reader. */
export function createFileReader(): FileReader {
  const files = new Map<string, ReadFile>();
  let bytes = 0;
  return {
    files,
    async read(path) {
      const known = files.get(path);
      if (known) return known;
      const content = await readRegular(path, MOST_BYTES - bytes);
      if (content === undefined) return undefined;
      bytes += content.length;
      if (files.size >= MOST_FILES) throw tooMuch(path);
      const sha256 = createHash("sha256").update(content).digest("hex");
      const file = { path, sha256, text: content.toString("utf8") };
      files.set(path, file);
      return file;
    },
  };
}

async function readRegular(path: string, most: number): Promise<Buffer | undefined> {
  // A pipe in the place of a file is not waited for.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
  if (!file) return undefined;
  try {
    const found = await file.stat();
    if (!found.isFile()) return undefined;
    if (found.size > most) throw tooMuch(path);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

function tooMuch(path: string): SkeinError {
  return new SkeinError("The folder's configuration is too large to check, and is not trusted", {
    kind: "untrusted_folder",
    target: path,
    hint: `At most ${MOST_FILES} files and ${MOST_BYTES / 1024 / 1024} MB are checked`,
  });
}
