import { join } from "node:path";
import { z } from "zod";
import { takeLock } from "../database/index.ts";
import type { StateId, Workspace } from "../workspace/index.ts";
import { parseFile } from "./parse-file.ts";

const NoteFile = z.strictObject({
  version: z.literal(1),
  rewards: z.record(z.string(), z.number()),
  metadata: z.record(z.string(), z.unknown()),
});

/** What was noted on a state after it was recorded: rewards and whatever else is known of it. */
export interface Note {
  readonly rewards: Readonly<Record<string, number>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Reads what was noted on a state; empty where nothing was. */
export async function readNote(workspace: Workspace, id: StateId): Promise<Note> {
  const text = await workspace.states.note(id);
  return text === undefined ? { rewards: {}, metadata: {} } : parseFile(NoteFile, text, `the note on ${id}`);
}

/** Adds to what was noted on a state; a name that was there gets the new value. */
export async function addNote(workspace: Workspace, id: StateId, added: Partial<Note>): Promise<Note> {
  // Several may note something on one state at once, each of them something else.
  await using _ = await takeLock(join(workspace.home, "notes.lock"), { clock: workspace.clock });
  const before = await readNote(workspace, id);
  const note = {
    version: 1,
    rewards: { ...before.rewards, ...added.rewards },
    metadata: { ...before.metadata, ...added.metadata },
  };
  await workspace.states.setNote(id, `${JSON.stringify(note)}\n`);
  return note;
}
