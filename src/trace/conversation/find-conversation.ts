import { SkeinError, toSkeinError } from "../../core/internal.ts";
import type { StateId, Workspace } from "../../workspace/internal.ts";
import type { SessionSegment } from "../session/session-entry.ts";
import { readSession } from "../session/session-segments.ts";
import { readStateFile } from "../record/state.ts";
import type { IndexedState } from "../state-index/state-index.ts";
import { TraceIndex } from "../state-index/trace-index.ts";

/** Finds a conversation by its id, by the beginning of one, or as `@`, the one that the head follows. */
export async function findConversation({ states }: Workspace, name: string): Promise<string> {
  const hint = "skein log --output-format json shows each state's conversation";
  const notFound = (message: string): SkeinError =>
    new SkeinError(message, { kind: "state_not_found", target: name, hint });
  const conversations = [...(await states.conversations()).keys()];
  const wanted = name === "@" ? (await states.head())?.conversationId : name;
  if (wanted === undefined) throw notFound("The directory's head is not the end of a conversation");
  const found = conversations.filter((id) => id === wanted || (wanted.length >= 4 && id.startsWith(wanted)));
  const [first, second] = found;
  if (first === undefined) throw notFound(`There is no conversation ${name}`);
  if (second === undefined) return first;
  throw new SkeinError(`${name} matches ${found.length} conversations`, {
    kind: "usage",
    target: name,
    hint: `Give more of it: ${found.slice(0, 3).join(", ")}`,
  });
}

/** A recorded conversation: its name, the state that it has come to, and its own states on the way there, oldest first. */
export interface FoundConversation {
  readonly id: string;
  readonly tip: StateId;
  readonly states: readonly IndexedState[];
}

/** What an id looks like: whatever else is typed names no conversation, and no path is ever made of it. */
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;

/** Finds a recorded conversation by its id, or by the id of a Claude Code session that it went through. */
export async function findBySession(index: TraceIndex, id: string): Promise<FoundConversation> {
  if (!ID.test(id)) throw sessionNotFound(id, `${JSON.stringify(id)} is not the id of a session`);
  const tip = await index.workspace.states.tip(id);
  if (tip !== undefined) return await readStates(index, { id, tip, owner: await ownerOf(index, id, tip) });
  const { conversations } = await listConversations(index);
  const found = conversations.find(({ states }) => states.some(({ turn }) => turn?.sessionId === id));
  if (!found) throw sessionNotFound(id, `There is no session ${id}`);
  return found;
}

/** The recorded conversations that are still named, the one changed last first, and how many there are of them. */
export async function listConversations(
  index: TraceIndex,
  limit?: number,
): Promise<{ readonly conversations: readonly FoundConversation[]; readonly count: number }> {
  const ages = new Map((await index.conversations()).map(({ id, updatedAtMs }) => [id, updatedAtMs]));
  const named: Named[] = [];
  for (const [id, tip] of await index.workspace.states.conversations()) {
    named.push({ id, tip, owner: ages.has(id) ? id : await ownerOf(index, id, tip) });
  }
  const age = ({ owner }: Named): number => ages.get(owner) ?? 0;
  const shown = named.toSorted((left, right) => age(right) - age(left)).slice(0, limit);
  return { conversations: await Promise.all(shown.map((each) => readStates(index, each))), count: named.length };
}

/** Reads a recorded conversation with its whole session: one of which a part is lost or damaged is not read. */
export async function readConversation(
  workspace: Workspace,
  id: string,
): Promise<{ readonly conversation: FoundConversation; readonly session: SessionSegment }> {
  try {
    await using index = await TraceIndex.open(workspace);
    const conversation = await findBySession(index, id);
    const { states } = workspace;
    return { conversation, session: await readSession(states, await readStateFile(states, conversation.tip)) };
  } catch (thrown) {
    const cause = toSkeinError(thrown);
    if (cause.kind === "session_not_found") throw cause;
    throw new SkeinError(`The session ${id} cannot be loaded: ${cause.message}`, {
      kind: "session_load_failed",
      target: id,
      retryable: cause.retryable,
      hint: cause.hint ?? "skein verify shows what is wrong with the store",
      cause,
    });
  }
}

interface Named {
  readonly id: string;
  readonly tip: StateId;
  /** The name that its states were recorded under. */
  readonly owner: string;
}

/** A turn that another overtook has a conversation of its own, and states that bear the name of the other. */
async function ownerOf(index: TraceIndex, id: string, tip: StateId): Promise<string> {
  if ((await index.query({ conversationId: id, limit: 1 })).length > 0) return id;
  // One that cannot be read, or that a disk has lost, says nothing of itself, and must not hide the others.
  return await readStateFile(index.workspace.states, tip).then(
    ({ conversationId }) => conversationId,
    () => id,
  );
}

/** The states of the name that lead to the tip: others may bear it too, which were overtaken. */
async function readStates(index: TraceIndex, { id, tip, owner }: Named): Promise<FoundConversation> {
  const own = new Map((await index.query({ conversationId: owner })).map((state) => [state.id, state]));
  const path: IndexedState[] = [];
  for (let at = own.get(tip); at; at = own.get(at.parentId ?? "")) path.unshift(at);
  return { id, tip, states: path };
}

function sessionNotFound(id: string, message: string): SkeinError {
  const hint = "skein list-sessions lists the sessions recorded here";
  return new SkeinError(message, { kind: "session_not_found", target: id, hint });
}
