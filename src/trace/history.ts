import type { StateId, Workspace } from "../workspace/index.ts";
import { readNote } from "./note.ts";
import { readSegment } from "./session-segments.ts";
import { readStateFile, type State } from "./state.ts";
import { Transition, type TransitionPoint } from "./transition.ts";
import { parseTransitionFile, type TransitionFile } from "./transition-file.ts";

/** The turns that led to a state, oldest first: back to where its conversation, or the one it was forked from, began. */
export async function readHistory(workspace: Workspace, tip: State): Promise<readonly Transition[]> {
  const transitions: Transition[] = [];
  for (let state: State | undefined = tip; state && state.kind !== "start";) {
    const parent: State | undefined =
      state.parentId === undefined ? undefined : await readStateFile(workspace.states, state.parentId);
    if (state.kind === "turn" && parent) transitions.push(await readTransition(workspace, { state, parent }));
    state = parent;
  }
  return transitions.toReversed();
}

/** Reads the turn that led to a state; undefined where none did. */
export async function readTransitionOf(workspace: Workspace, id: StateId): Promise<Transition | undefined> {
  const state = await readStateFile(workspace.states, id);
  if (state.kind !== "turn" || state.parentId === undefined) return undefined;
  return await readTransition(workspace, { state, parent: await readStateFile(workspace.states, state.parentId) });
}

async function readTransition(
  workspace: Workspace,
  { state, parent }: { readonly state: State; readonly parent: State },
): Promise<Transition> {
  const text = (await workspace.states.file(state.stored, "transition.json")) ?? "";
  const file = parseTransitionFile(text, `transition.json of ${state.id}`);
  const note = await readNote(workspace, state.id);
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
  return new Transition(file, points, { snapshots, leftOut, segment: () => readSegment(states, state, file.turn) });
}

function pointOf({ id, snapshotId, sessionId }: State): TransitionPoint {
  return { stateId: id, snapshotId, ...(sessionId === undefined ? {} : { sessionId }) };
}
