import { z } from "zod";
import { createLineFile, defined, formatJsonl, SkeinError, type LineFile } from "../core/internal.ts";
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
  const file = createLineFile(path);
  return {
    load: () => readEntries(path, file),
    append: async (entry) => await file.append(formatJsonl({ version: 1, ...entry })),
  };
}

async function* readEntries(path: string, file: LineFile): AsyncGenerator<JournalEntry> {
  for await (const record of file.records()) {
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
