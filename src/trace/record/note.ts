import { join } from "node:path";
import { takeLock } from "../../database/index.ts";
import { parseNote, type Note, type StateId, type Workspace } from "../../workspace/internal.ts";

/** What was noted on a state, and what is wrong with it where it cannot be read. */
export interface ReadNote extends Note {
  readonly problem?: string;
}

/** Anyone who can write to the store can replace a note, and must not keep the state from being read: one that is none is empty, and says so. */
export async function readNote({ states }: Pick<Workspace, "states">, id: StateId, blob?: string): Promise<ReadNote> {
  const nothing = { rewards: {}, metadata: {} };
  try {
    const text = await states.note(id, blob);
    if (text === undefined) return nothing;
    return parseNote(text) ?? { ...nothing, problem: `the note on ${id} was not written by Skein` };
  } catch (error) {
    return {
      ...nothing,
      problem: `the note on ${id} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
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
