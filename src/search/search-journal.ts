import { constants, createReadStream } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import { formatJsonl, parseJsonl, PRIVATE_FILE, PRIVATE_FOLDER, SkeinError, splitJsonl } from "../core/index.ts";
import type { Environment, Exploration, StepOutcome, Reward } from "./environment.ts";

const RewardFile = z.strictObject({
  value: z.number(),
  parts: z.record(z.string(), z.number()),
  notes: z.record(z.string(), z.string()).default({}),
});

const EntryFile = z.strictObject({
  version: z.literal(1),
  /** The key of the state that the prompt was run from. */
  from: z.string(),
  prompt: z.string(),
  /** Which run of this prompt from this state it was, counted from 1. */
  attempt: z.int().positive(),
  /** The key of the state that it led to. */
  to: z.string(),
  reward: RewardFile.optional(),
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
    if (!parsed.success) throw broken(path, record.line.number, parsed.error);
    const { version: _, reward, ...entry } = parsed.data;
    yield { ...entry, ...(reward ? { reward } : {}) };
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

/** The bytes of a file; none where it is not there yet. */
async function* readBytes(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path) as AsyncIterable<Uint8Array>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

function broken(path: string, line: number, cause: unknown): SkeinError {
  return new SkeinError(`Line ${line} of the search journal ${path} cannot be read`, {
    kind: "parse",
    target: path,
    hint: "Remove the line to explore that again, or give another journal",
    cause,
  });
}

/** Which exploration is meant: the same prompt may be run from the same state several times. */
export type ExplorationKey = Pick<JournalEntry, "from" | "prompt" | "attempt">;

/** The explorations that a journal knows. */
export interface KnownExplorations<State, Step> {
  find(key: ExplorationKey): Promise<Exploration<State, Step> | undefined>;
  /** Adds one, for the next time. */
  add(key: ExplorationKey, reached: Pick<Exploration<State, Step>, "state" | "reward">): Promise<void>;
}

/** Reads a journal; without one nothing is known and nothing is kept. */
export async function readKnown<State, Step extends StepOutcome>(
  environment: Environment<State, Step>,
  journal: SearchJournal | undefined,
): Promise<KnownExplorations<State, Step>> {
  if (!journal) return { find: async () => undefined, add: async () => undefined };
  const { recall } = environment;
  if (!recall)
    throw new SkeinError("This environment cannot recall explorations: leave out `journal`", { kind: "usage" });
  const entries = new Map<string, JournalEntry>();
  for await (const entry of journal.load()) entries.set(textOf(entry), entry);
  return {
    async find(key) {
      const entry = entries.get(textOf(key));
      const found = entry && (await recall.call(environment, entry.to));
      return found && { ...found, ...(entry.reward ? { reward: entry.reward } : {}) };
    },
    async add({ from, prompt, attempt }, { state, reward }) {
      await journal.append({ from, prompt, attempt, to: environment.keyOf(state), ...(reward ? { reward } : {}) });
    },
  };
}

function textOf({ from, prompt, attempt }: ExplorationKey): string {
  return JSON.stringify([from, prompt, attempt]);
}
