import type { StateId, Workspace } from "../workspace/index.ts";
import { readNote } from "./note.ts";
import { readSegment, readTranscript } from "./session-segments.ts";
import { readStateFile, type State } from "./state.ts";
import { Transition, type TransitionPoint } from "./transition.ts";
import { parseTransitionFile, type TransitionFile } from "./transition-file.ts";

/** The turns that led to a state, oldest first: back to where its conversation, or the one it was forked from, began. */
export async function readHistory(workspace: Workspace, tip: State): Promise<readonly Transition[]> {
  const path = await readPath(workspace, tip);
  const noted = await workspace.states.notes();
  const pairs = path.flatMap((state, index) => {
    const parent = path[index + 1];
    return state.kind === "turn" && parent ? [{ state, parent, isNoted: noted.has(state.id) }] : [];
  });
  const transitions: Transition[] = [];
  for (let at = 0; at < pairs.length; at += MOST_AT_ONCE) {
    const some = pairs.slice(at, at + MOST_AT_ONCE);
    transitions.push(...(await Promise.all(some.map((pair) => readTransition(workspace, pair)))));
  }
  return transitions.toReversed();
}

/** As many states are asked for together: each answer by itself is a way to git and back. */
const MOST_AT_ONCE = 256;

/** A state and those before it, newest first, up to the beginning of the conversation; no more of them are read than that. */
async function readPath({ states }: Workspace, tip: State): Promise<readonly State[]> {
  const ids = (await states.list([tip.id])).toReversed();
  const path = [tip];
  for (let at = 1, count = 4; at < ids.length; at += count, count = Math.min(count * 4, MOST_AT_ONCE)) {
    if (path.at(-1)?.kind === "start") break;
    // What lies before the beginning may be damaged, and is nobody's concern here.
    for (const read of await Promise.allSettled(ids.slice(at, at + count).map((id) => readStateFile(states, id)))) {
      if (path.at(-1)?.kind === "start") break;
      if (read.status === "rejected") throw read.reason;
      path.push(read.value);
    }
  }
  return path;
}

/** Reads the turn that led to a state; undefined where none did. */
export async function readTransitionOf(workspace: Workspace, id: StateId): Promise<Transition | undefined> {
  const state = await readStateFile(workspace.states, id);
  if (state.kind !== "turn" || state.parentId === undefined) return undefined;
  return await readTransition(workspace, { state, parent: await readStateFile(workspace.states, state.parentId) });
}

/** Reads the last turn on the way to a state; undefined where its conversation had begun and no turn was run yet. */
export async function readLastTransition(workspace: Workspace, state: State): Promise<Transition | undefined> {
  const last = await findLastTurnOf(workspace, state);
  return last && (await readTransitionOf(workspace, last.id));
}

/** The state after the last turn on the way to a state: itself, or one before that was changed by hand since. */
async function findLastTurnOf({ states }: Workspace, state: State): Promise<State | undefined> {
  let at = state;
  while (at.kind === "edit" && at.parentId !== undefined) at = await readStateFile(states, at.parentId);
  return at.kind === "turn" ? at : undefined;
}

async function readTransition(
  workspace: Workspace,
  { state, parent, isNoted = true }: { readonly state: State; readonly parent: State; readonly isNoted?: boolean },
): Promise<Transition> {
  const text = (await workspace.states.file(state.stored, "transition.json")) ?? "";
  const file = parseTransitionFile(text, `transition.json of ${state.id}`);
  const note = isNoted ? await readNote(workspace, state.id) : { rewards: {}, metadata: {} };
  const rewards = { ...file.rewards, ...note.rewards };
  const metadata = { ...file.metadata, ...note.metadata };
  return toTransition(workspace, { file: { ...file, rewards, metadata }, state, parent });
}

/** A turn of its file and the states around it. */
export function toTransition(
  { states, snapshots }: Workspace,
  { file, state, parent }: { readonly file: TransitionFile; readonly state: State; readonly parent: State },
): Transition {
  const points = { before: pointOf(parent), after: pointOf(state) };
  const leftOut = { before: parent.leftOut, after: state.leftOut };
  return new Transition(file, points, {
    snapshots,
    leftOut,
    segment: () => readSegment(states, state, file.turn),
    session: () => readTranscript(states, state),
  });
}

function pointOf({ id, snapshotId, sessionId }: State): TransitionPoint {
  return { stateId: id, snapshotId, ...(sessionId === undefined ? {} : { sessionId }) };
}
