import { parseNote, type Note } from "../states/note.ts";
import type { Workspace } from "../workspace.ts";
import type { StateId } from "../states/state-commit.ts";

/**
 * Takes in what others noted on a state. What is noted here stays: a name that only they have is added, and one that both
 * have keeps the value that it has here. Gives whether anything was added; undefined where theirs is no note.
 */
export async function mergeNote(
  { states }: Workspace,
  id: StateId,
  theirs: string,
): Promise<"new" | "moved" | "same" | undefined> {
  const given = parseNote(theirs);
  if (!given) return undefined;
  const text = await states.note(id);
  const ours = text === undefined ? undefined : parseNote(text);
  const merged: Note = {
    rewards: { ...given.rewards, ...ours?.rewards },
    metadata: { ...given.metadata, ...ours?.metadata },
  };
  if (ours && isSame(ours, merged)) return "same";
  await states.setNote(id, `${JSON.stringify({ version: 1, ...merged })}\n`);
  return text === undefined ? "new" : "moved";
}

function isSame(left: Note, right: Note): boolean {
  return [left.rewards, left.metadata].every(
    (record, index) => Object.keys(record).length === Object.keys([right.rewards, right.metadata][index] ?? {}).length,
  );
}
