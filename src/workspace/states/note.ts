import { z } from "zod";
import { tryJson } from "../../git/index.ts";

/** What was noted on a state after it was recorded: rewards and whatever else is known of it. */
export interface Note {
  readonly rewards: Readonly<Record<string, number>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The name of a reward or of something else that is known of a state. */
const Name = z.string().min(1).max(200);

const NoteFile = z.strictObject({
  version: z.literal(1),
  rewards: z.record(Name, z.number()),
  metadata: z.record(Name, z.unknown()),
});

/** Reads a note; undefined where the text is none. */
export function parseNote(text: string): Note | undefined {
  const parsed = text.length > MOST_CHARACTERS ? undefined : NoteFile.safeParse(tryJson(text));
  return parsed?.success ? { rewards: parsed.data.rewards, metadata: parsed.data.metadata } : undefined;
}

const MOST_CHARACTERS = 16 * 1024 ** 2;
