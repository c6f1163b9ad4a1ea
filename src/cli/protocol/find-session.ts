import { SkeinError } from "../../core/index.ts";
import { readStateFile, type IndexedState, type TransitionRecorder } from "../../trace/index.ts";
import type { StateId, Workspace } from "../../workspace/index.ts";

/** A recorded conversation: its name, the state that it has come to, and its own states on the way there, oldest first. */
export interface FoundSession {
  readonly id: string;
  readonly tip: StateId;
  readonly states: readonly IndexedState[];
}

/** Where sessions are looked for. */
export interface SessionStore {
  readonly recorder: TransitionRecorder;
  readonly workspace: Workspace;
}

/** What an id looks like: whatever else is typed names no session, and no path is ever made of it. */
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;

/** Finds a recorded conversation by its id, or by the id of a Claude Code session that it went through. */
export async function findSession(store: SessionStore, id: string): Promise<FoundSession> {
  if (!ID.test(id)) throw notFound(id, `${JSON.stringify(id)} is not the id of a session`);
  const tip = await store.workspace.states.tip(id);
  if (tip !== undefined) return await readSession(store, { id, tip, conversationId: await ownerOf(store, id, tip) });
  const { sessions } = await listSessions(store);
  const found = sessions.find(({ states }) => states.some(({ turn }) => turn?.sessionId === id));
  if (!found) throw notFound(id, `There is no session ${id}`);
  return found;
}

/** The recorded conversations that are still named, the one changed last first, and how many there are of them. */
export async function listSessions(
  store: SessionStore,
  limit?: number,
): Promise<{ readonly sessions: readonly FoundSession[]; readonly count: number }> {
  const { recorder, workspace } = store;
  const ages = new Map((await recorder.conversations()).map(({ id, updatedAtMs }) => [id, updatedAtMs]));
  const named: Named[] = [];
  for (const [id, tip] of await workspace.states.conversations()) {
    named.push({ id, tip, conversationId: ages.has(id) ? id : await ownerOf(store, id, tip) });
  }
  const age = ({ conversationId }: Named): number => ages.get(conversationId) ?? 0;
  const shown = named.toSorted((left, right) => age(right) - age(left)).slice(0, limit);
  return { sessions: await Promise.all(shown.map((each) => readSession(store, each))), count: named.length };
}

interface Named {
  readonly id: string;
  readonly tip: StateId;
  /** The name that its states were recorded under. */
  readonly conversationId: string;
}

/** A turn that another overtook has a conversation of its own, and states that bear the name of the other. */
async function ownerOf({ recorder, workspace }: SessionStore, id: string, tip: StateId): Promise<string> {
  if ((await recorder.query({ conversationId: id, limit: 1 })).length > 0) return id;
  // One that cannot be read, or that a disk has lost, says nothing of itself, and must not hide the others.
  return await readStateFile(workspace.states, tip).then(
    ({ conversationId }) => conversationId,
    () => id,
  );
}

/** The states of the name that lead to the tip: others may bear it too, which were overtaken. */
async function readSession({ recorder }: SessionStore, { id, tip, conversationId }: Named): Promise<FoundSession> {
  const own = new Map((await recorder.query({ conversationId })).map((state) => [state.id, state]));
  const path: IndexedState[] = [];
  for (let at = own.get(tip); at; at = own.get(at.parentId ?? "")) path.unshift(at);
  return { id, tip, states: path };
}

function notFound(id: string, message: string): SkeinError {
  return new SkeinError(message, {
    kind: "session_not_found",
    target: id,
    hint: "skein list-sessions lists the sessions recorded here",
  });
}
