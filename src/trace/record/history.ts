import { defined } from "../../core/internal.ts";
import { parseNote, type Note, type StateId, type Workspace } from "../../workspace/internal.ts";
import { readNote } from "./note.ts";
import { readSegment, readTranscript } from "../session/session-segments.ts";
import { parseState, readStateFile, type State } from "./state.ts";
import { parseTransitionFile, readTransitionFile, type TransitionFile } from "./transition-file.ts";
import { Transition, type TransitionPoint } from "./transition.ts";

/** The turns of a conversation, oldest first: those that it had when it was taken up are read when somebody asks for them. */
export type History = ReturnType<typeof createHistory>;

export function createHistory(read: () => readonly Transition[]) {
  let known: readonly Transition[] | undefined;
  const added: Transition[] = [];
  return {
    all: (): readonly Transition[] => (known ??= [...read(), ...added]),
    add(transition: Transition): void {
      if (known) known = [...known, transition];
      else added.push(transition);
    },
  };
}

/** The turns that led to a state, oldest first: back to where its conversation, or the one it was forked from, began. */
export function readHistory(workspace: Workspace, tip: StateId): readonly Transition[] {
  const transitions: Transition[] = [];
  let after: { readonly state: State; readonly text: string | undefined; readonly note: Note | undefined } | undefined;
  for (const { stored, files, note } of workspace.states.walkBack(tip, ["state.json", "transition.json"])) {
    const state = parseState(stored, files[0]);
    if (after?.state.kind === "turn") {
      const file = parseTransitionFile(after.state.id, after.text);
      transitions.push(toTransition(workspace, { ...after, file, parent: state }));
    }
    if (state.kind === "start") break;
    after = { state, text: files[1], note: note === undefined ? undefined : parseNote(note) };
  }
  return transitions.toReversed();
}

export async function readTransitionOf(workspace: Workspace, id: StateId): Promise<Transition | undefined> {
  const { states } = workspace;
  const state = await readStateFile(states, id);
  if (state.kind !== "turn" || state.parentId === undefined) return undefined;
  const parent = await readStateFile(states, state.parentId);
  const file = await readTransitionFile(states, state.stored);
  return toTransition(workspace, { file, state, parent, note: await readNote(workspace, id) });
}

/** Reads the last turn on the way to a state; undefined where its conversation had begun and no turn was run yet. */
export async function readLastTransition(workspace: Workspace, state: State): Promise<Transition | undefined> {
  const last = await findLastTurnOf(workspace, state);
  return last && (await readTransitionOf(workspace, last.id));
}

/** The state after the last turn on the way to a state: itself, or one before that was changed by hand since. */
export async function findLastTurnOf({ states }: Workspace, state: State): Promise<State | undefined> {
  let at = state;
  while (at.kind === "edit" && at.parentId !== undefined) at = await readStateFile(states, at.parentId);
  return at.kind === "turn" ? at : undefined;
}

interface FoundTransition {
  readonly file: TransitionFile;
  readonly state: State;
  readonly parent: State;
  readonly note?: Note | undefined;
}

export function toTransition(
  { states, snapshots }: Workspace,
  { file, state, parent, note }: FoundTransition,
): Transition {
  const rewards = { ...file.rewards, ...note?.rewards };
  const metadata = { ...file.metadata, ...note?.metadata };
  const points = { before: pointOf(parent), after: pointOf(state) };
  const leftOut = { before: parent.leftOut, after: state.leftOut };
  return new Transition({ ...file, rewards, metadata }, points, {
    snapshots,
    leftOut,
    segment: () => readSegment(states, state, file.turn),
    session: () => readTranscript(states, state),
  });
}

function pointOf({ id, snapshotId, sessionId }: State): TransitionPoint {
  return { stateId: id, snapshotId, ...defined({ sessionId }) };
}
