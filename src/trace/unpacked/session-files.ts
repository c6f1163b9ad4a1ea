import { mkdir, open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { formatJsonl, PRIVATE_FILE, PRIVATE_FOLDER } from "../../core/index.ts";
import type { StateId, StateStore } from "../../workspace/index.ts";
import type { SessionEntry, SessionSegment } from "../session/session-entry.ts";
import { readSegment } from "../session/session-segments.ts";
import { readStateFile, type State } from "../state.ts";

/** The transcripts of one store, which grow turn by turn. */
export interface SessionFiles {
  /** Adds what the turn of a state said, and gives the session that it is of; null where it has no turn. */
  add(states: StateStore, id: StateId): Promise<string | null>;
  remove(session: string): Promise<void>;
  sizes(): Readonly<Record<string, number>>;
}

/** Takes up the transcripts in a folder at the sizes that they are known to have. */
export async function createSessionFiles(
  folder: string,
  { workspace, sizes }: { readonly workspace: string; readonly sizes: Readonly<Record<string, number>> },
): Promise<SessionFiles> {
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
    async add(states, id) {
      const state = await readStateFile(states, id);
      if (state.kind !== "turn" || state.turns === 0) return null;
      const segment = await readSegment(states, state, state.turns);
      const session = state.sessionId ?? state.id;
      const name = `${session}.jsonl`;
      if (segment.main.length > 0) {
        const before = lengths.has(name) ? [] : await beginningOf(states, state, { segment, workspace });
        await append(name, [...before, ...segment.main].map(formatJsonl).join(""));
      }
      for (const [path, entries] of segment.subagents) {
        await append(`${session}/${path}.jsonl`, entries.map(formatJsonl).join(""));
      }
      return session;
    },
    async remove(session) {
      for (const name of [`${session}.jsonl`, session]) await rm(join(folder, name), { recursive: true, force: true });
      for (const name of lengths.keys()) {
        if (name === `${session}.jsonl` || name.startsWith(`${session}/`)) lengths.delete(name);
      }
    },
    sizes: () => Object.fromEntries(lengths),
  };
}

/**
 * What a session's file begins with: whose it is, since the turn may have run in a branch; and, where it was forked from another session, the
 * record that it goes on from, by which readers see that the two belong together.
 */
async function beginningOf(
  states: StateStore,
  state: State,
  { segment, workspace }: { readonly segment: SessionSegment; readonly workspace: string },
): Promise<readonly SessionEntry[]> {
  const head: SessionEntry = {
    type: "skein-recorded",
    sessionId: state.sessionId ?? state.id,
    cwd: workspace,
    conversationId: state.conversationId,
  };
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
