import { mkdir, open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "../../core/internal.ts";
import type { StateId, StateStore } from "../../workspace/internal.ts";
import type { SessionEntry, SessionSegment } from "../session/session-entry.ts";
import { formatEntries, readSegment } from "../session/session-segments.ts";
import { readStateFile, type State } from "../record/state.ts";

export type SessionFiles = ReturnType<typeof createSessionFiles>;

/** The transcripts of one store in a folder, which grow turn by turn, at the sizes that they are known to have. */
export function createSessionFiles(
  folder: string,
  { workspace, sizes }: { readonly workspace: string; readonly sizes: Readonly<Record<string, number>> },
) {
  const lengths = new Map(Object.entries(sizes));
  const append = async (name: string, text: string): Promise<void> => {
    const at = lengths.get(name) ?? 0;
    await mkdir(dirname(join(folder, name)), PRIVATE_FOLDER);
    await using file = await open(join(folder, name), "a+", PRIVATE_FILE);
    await file.truncate(at);
    await file.appendFile(text);
    lengths.set(name, at + Buffer.byteLength(text));
  };
  return {
    /** Adds what the turn of a state said, and gives the session that it is of; null where it has no turn. */
    async add(states: StateStore, id: StateId): Promise<string | null> {
      const state = await readStateFile(states, id);
      if (state.kind !== "turn" || state.turns === 0) return null;
      const segment = await readSegment(states, state, state.turns);
      const session = state.sessionId ?? state.id;
      const name = `${session}.jsonl`;
      if (segment.main.length > 0) {
        const before = lengths.has(name) ? [] : await beginningOf(states, state, segment, workspace);
        await append(name, formatEntries([...before, ...segment.main]));
      }
      for (const [path, entries] of segment.subagents) {
        await append(`${session}/${path}.jsonl`, formatEntries(entries));
      }
      return session;
    },
    async remove(session: string): Promise<void> {
      for (const name of [`${session}.jsonl`, session]) await rm(join(folder, name), { recursive: true, force: true });
      for (const name of lengths.keys()) {
        if (name === `${session}.jsonl` || name.startsWith(`${session}/`)) lengths.delete(name);
      }
    },
    sizes: (): Record<string, number> => Object.fromEntries(lengths),
  };
}

/** Whose session it is, since the turn may have run in a branch; of a fork also the record that it goes on from, by which readers see that. */
async function beginningOf(
  states: StateStore,
  state: State,
  segment: SessionSegment,
  cwd: string,
): Promise<readonly SessionEntry[]> {
  const { id, sessionId = id, conversationId } = state;
  const head = { type: "skein-recorded", sessionId, cwd, conversationId };
  const parent = await findParent(states, state, segment);
  return parent ? [head, parent] : [head];
}

async function findParent(
  states: StateStore,
  state: State,
  segment: SessionSegment,
): Promise<SessionEntry | undefined> {
  const first = segment.main.find(({ parentUuid }) => typeof parentUuid === "string")?.["parentUuid"];
  if (first === undefined || segment.main.some(({ uuid }) => uuid === first)) return undefined;
  for (let turn = state.turns - 1; turn > 0; turn -= 1) {
    const { main } = await readSegment(states, state, turn);
    const found = main.find(({ uuid }) => uuid === first);
    if (found) return found;
  }
  return undefined;
}
