import { constants, createReadStream } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import {
  defined,
  formatJsonl,
  parseJsonl,
  PRIVATE_FILE,
  PRIVATE_FOLDER,
  SkeinError,
  splitJsonl,
} from "../core/internal.ts";
import type { Reward } from "./environment.ts";

const EntryFile = z.strictObject({
  version: z.literal(1),
  /** The key of the state that the prompt was run from. */
  from: z.string(),
  prompt: z.string(),
  /** Which run of this prompt from this state it was, counted from 1. */
  attempt: z.int().positive(),
  /** The key of the state that it led to. */
  to: z.string(),
  reward: z
    .strictObject({
      value: z.number(),
      parts: z.record(z.string(), z.number()),
      notes: z.record(z.string(), z.string()).default({}),
    })
    .optional(),
});

/** One exploration that is done: from where, what, and where it led. */
export interface JournalEntry extends Omit<z.infer<typeof EntryFile>, "version" | "reward"> {
  readonly reward?: Reward;
}

/** What a search has explored, kept so that it can be interrupted and continued. */
export interface SearchJournal {
  load(): AsyncIterable<JournalEntry>;
  /** Adds an exploration; it is safe when this resolves. */
  append(entry: JournalEntry): Promise<void>;
}

/** A journal in a JSON Lines file, on the disk after every entry. It belongs to one search at a time. */
export function createFileJournal(path: string): SearchJournal {
  let end: Promise<number> | undefined;
  return {
    load: () => readEntries(path),
    async append(entry) {
      const start = end ?? endOfLastLine(path);
      const written = start.then((offset) => writeLine(path, offset, formatJsonl({ version: 1, ...entry })));
      // After a failure the next entry is written over what there is of this one.
      end = written.catch(() => start);
      await written;
    },
  };
}

async function* readEntries(path: string): AsyncGenerator<JournalEntry> {
  for await (const record of parseJsonl(readBytes(path))) {
    // Half a line is what a crash left of an entry: it was never said to be written.
    if (!record.line.terminated) continue;
    const parsed = EntryFile.safeParse(record.type === "value" ? record.value : undefined);
    if (!parsed.success) {
      throw new SkeinError(`Line ${record.line.number} of the search journal ${path} cannot be read`, {
        kind: "parse",
        target: path,
        hint: "Remove the line to explore that again, or give another journal",
        cause: parsed.error,
      });
    }
    const { version: _, reward, ...entry } = parsed.data;
    yield { ...entry, ...defined({ reward }) };
  }
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

/** What a journal knows, by `explorationKey`; nothing where there is none. */
export async function readJournal(journal: SearchJournal | undefined): Promise<ReadonlyMap<string, JournalEntry>> {
  const entries = new Map<string, JournalEntry>();
  for await (const entry of journal?.load() ?? []) entries.set(explorationKey(entry), entry);
  return entries;
}

/** Which exploration is meant: the same prompt may be run from the same state several times. */
export function explorationKey({ from, prompt, attempt }: Omit<JournalEntry, "to" | "reward">): string {
  return JSON.stringify([from, prompt, attempt]);
}
