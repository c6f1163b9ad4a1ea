import type { StateId, Workspace } from "../../workspace/internal.ts";
import { addNote, readNote } from "./note.ts";

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
  const { metadata } = await readNote(workspace, id, blob);
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

/** The states with a bookmark: of one name, where that is given. */
export async function findBookmarked(workspace: Workspace, name?: string): Promise<readonly StateId[]> {
  const found: StateId[] = [];
  for (const [id, blob] of await workspace.states.notes()) {
    const { bookmark } = await readMark(workspace, id, blob);
    if (bookmark !== undefined && (name === undefined || bookmark === name)) found.push(id);
  }
  return found;
}
