import type { StateId, Workspace } from "../../workspace/internal.ts";
import { addNote, readNote, type ReadNote } from "./note.ts";

/** What a person wrote on a state. It is part of the state's note, and goes where that goes. */
export interface StateMark {
  /** A remark; none where it is undefined. */
  readonly remark: string | undefined;
  /** The name of a bookmark, by which the state is found again. */
  readonly bookmark: string | undefined;
}

/** Their names among what is noted on a state: what a caller notes has no colon in it by habit. */
const NAMES = { remark: "skein:remark", bookmark: "skein:bookmark" } as const;

export async function readMark(workspace: Workspace, id: StateId, blob?: string): Promise<StateMark> {
  return markOf(await readNote(workspace, id, blob));
}

/** What of a note a person wrote. */
export function markOf({ metadata }: Pick<ReadNote, "metadata">): StateMark {
  const text = (name: string): string | undefined => {
    const value = metadata[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  return { remark: text(NAMES.remark), bookmark: text(NAMES.bookmark) };
}

/** Writes on a state; what is undefined stays, an empty text takes away what was there. */
export async function setMark(workspace: Workspace, id: StateId, mark: Partial<StateMark>): Promise<StateMark> {
  // A note is only added to: so a text that was taken away is an empty one.
  const given = Object.entries(mark).filter(([, text]) => text !== undefined);
  const metadata = Object.fromEntries(given.map(([part, text]) => [NAMES[part as keyof StateMark], text]));
  await addNote(workspace, id, { metadata });
  return await readMark(workspace, id);
}
