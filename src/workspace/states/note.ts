import { z } from "zod";
import { parseJson } from "../../core/internal.ts";
import type { Workspace } from "../workspace.ts";
import type { StateId } from "./state-commit.ts";

/** What was noted on a state after it was recorded: rewards and whatever else is known of it. */
export interface Note {
  readonly rewards: Readonly<Record<string, number>>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

const Name = z.string().min(1).max(200);

const NoteFile = z.strictObject({
  version: z.literal(1),
  rewards: z.record(Name, z.number()),
  metadata: z.record(Name, z.unknown()),
});

export function parseNote(text: string): Note | undefined {
  const parsed = text.length > MOST_CHARACTERS ? undefined : NoteFile.safeParse(parseJson(text));
  return parsed?.data && { rewards: parsed.data.rewards, metadata: parsed.data.metadata };
}

const MOST_CHARACTERS = 16 * 1024 ** 2;

/** What is noted here stays: of theirs only new names are added. Undefined where theirs is no note. */
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
  const sizeOf = ({ rewards, metadata }: Note): number => Object.keys(rewards).length + Object.keys(metadata).length;
  if (ours && sizeOf(ours) === sizeOf(merged)) return "same";
  await states.setNote(id, `${JSON.stringify({ version: 1, ...merged })}\n`);
  return text === undefined ? "new" : "moved";
}
