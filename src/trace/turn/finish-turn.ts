import { createId, isoTime } from "../../core/internal.ts";
import type { StateId, Workspace } from "../../workspace/internal.ts";
import { toTransition } from "../record/history.ts";
import { recordState, type RecordedFiles, type StateDraft } from "../record/record-state.ts";
import type { SessionSegment } from "../session/session-entry.ts";
import type { State } from "../record/state.ts";
import { toExecution, type SeenTurn, type Transition } from "../record/transition.ts";
import type { BegunTurn } from "./journal.ts";

export type RecordedSeen = SeenTurn & { readonly segment: SessionSegment };

export interface FinishedTurn {
  /** The conversation whose tip it is: another than before, where somebody else moved that one meanwhile. */
  readonly conversationId: string;
  readonly state: State;
  readonly transition: Transition;
}

/**
 * Records a turn with the files as they are now: the state first, then the conversation's tip, then the directory's head.
 * Once this resolves, nothing that happens to the process can take it back. Where the head was moved since, it stays, and
 * the turn is recorded with the files that it began with.
 */
export async function finishTurn(
  workspace: Workspace,
  { before, seen, ...begun }: BegunTurn & { readonly before: State; readonly seen: RecordedSeen },
  isElsewhere = false,
): Promise<FinishedTurn> {
  const { transitionId: id, conversationId, turn, prompt, metadata, tip, settings } = begun;
  const snapshot = isElsewhere ? filesOf(before) : await workspace.snapshot();
  const execution = toExecution(seen);
  const recordedAt = isoTime(workspace.clock.now());
  const file = { id, conversationId, turn, prompt, execution, recordedAt, metadata, rewards: {} };
  const sessionId = sessionAfter(before, seen);
  const draft = { before, tip, snapshot, settings, sessionId, turn: { file, segment: seen.segment } };
  const recorded = await recordTurnState(workspace, draft);
  if (!isElsewhere) await setHead(workspace, recorded);
  return recorded;
}

interface TurnState extends Pick<StateDraft, "snapshot" | "settings" | "sessionId"> {
  readonly before: State;
  readonly tip: StateId | null;
  readonly turn: NonNullable<StateDraft["turn"]>;
}

/** Writes the state of a turn, and names it as its conversation's tip. */
export async function recordTurnState(
  workspace: Workspace,
  { before: parent, tip, turn, ...draft }: TurnState,
): Promise<FinishedTurn> {
  const { file } = turn;
  const { conversationId } = file;
  const state = await recordState(workspace, { ...draft, kind: "turn", conversationId, parent, turn });
  const named = await nameState(workspace, state, { conversationId, tip });
  return { conversationId: named, state, transition: toTransition(workspace, { file, state, parent }) };
}

export async function setHead({ states }: Workspace, { state, conversationId }: FinishedTurn): Promise<void> {
  await states.setHead({ stateId: state.id, conversationId });
}

function filesOf({ snapshotId: id, leftOut, moved }: State): RecordedFiles {
  return { id, leftOut: leftOut as RecordedFiles["leftOut"], moved };
}

/** The session to go on with after a turn. One that was cut off before its first words has none: then it is the one before. */
export function sessionAfter(
  before: { readonly sessionId?: string | undefined },
  { segment, result }: RecordedSeen,
): string | undefined {
  const written = segment.main.find((entry) => typeof entry["sessionId"] === "string")?.["sessionId"];
  if (typeof written === "string") return written;
  return result.isError || result.sessionId === "" ? before.sessionId : result.sessionId;
}

/** Makes it the conversation's tip. If that has moved meanwhile, the turn is kept as a conversation of its own. */
export async function nameState(
  { states, clock }: Workspace,
  state: State,
  { conversationId, tip }: Pick<BegunTurn, "conversationId" | "tip">,
): Promise<string> {
  const isMoved = await states.moveTip(conversationId, { from: tip ?? undefined, to: state.id });
  const own = isMoved ? conversationId : createId(clock);
  if (!isMoved) await states.moveTip(own, { from: undefined, to: state.id });
  return own;
}
