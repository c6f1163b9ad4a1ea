import { createId, isoTime } from "../../core/index.ts";
import type { StateId, Workspace } from "../../workspace/index.ts";
import { toTransition } from "../history.ts";
import { recordState, type RecordedFiles, type StateDraft } from "../record-state.ts";
import type { SessionSegment } from "../session/session-entry.ts";
import type { Settings, State } from "../state.ts";
import type { RecordedPrompt } from "../transition-file.ts";
import { toExecution, type SeenTurn, type Transition } from "../transition.ts";

export interface EndedTurn {
  readonly transitionId: string;
  readonly conversationId: string;
  /** The tip that the conversation had when the turn began; none where it is new. */
  readonly tip: StateId | undefined;
  readonly before: State;
  readonly turn: number;
  readonly prompt: RecordedPrompt;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly settings: Settings;
  readonly seen: RecordedSeen;
}

export type RecordedSeen = SeenTurn & { readonly segment: SessionSegment };

export interface FinishedTurn {
  /** The conversation whose tip it is: another than before, where somebody else moved that one meanwhile. */
  readonly conversationId: string;
  readonly state: State;
  readonly transition: Transition;
}

/**
 * Records a turn with the files as they are now: the state first, then the conversation's tip, then where the directory
 * stands. Once this resolves, nothing that happens to the process can take it back. Where the directory was brought
 * elsewhere since, it stays there, and the turn is recorded with the files that it began with.
 */
export async function finishTurn(workspace: Workspace, ended: EndedTurn, isElsewhere = false): Promise<FinishedTurn> {
  const { clock } = workspace;
  const { before, conversationId, seen } = ended;
  const snapshot = isElsewhere ? filesOf(before) : await workspace.snapshot();
  const file = {
    id: ended.transitionId,
    conversationId,
    turn: ended.turn,
    prompt: ended.prompt,
    execution: toExecution(seen),
    recordedAt: isoTime(clock.now()),
    metadata: { ...ended.metadata },
    rewards: {},
  };
  const sessionId = sessionAfter(before, seen);
  const turn = { file, segment: seen.segment };
  const { tip, settings } = ended;
  const recorded = await recordTurnState(workspace, { before, tip, snapshot, settings, sessionId, turn });
  if (!isElsewhere) await standAtTurn(workspace, recorded);
  return recorded;
}

export interface TurnState {
  readonly before: State;
  readonly tip: StateId | undefined;
  readonly snapshot: RecordedFiles;
  readonly settings: Settings;
  readonly sessionId: string | undefined;
  readonly turn: NonNullable<StateDraft["turn"]>;
}

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

export async function standAtTurn({ states }: Workspace, { state, conversationId }: FinishedTurn): Promise<void> {
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
  { conversationId, tip }: Pick<EndedTurn, "conversationId" | "tip">,
): Promise<string> {
  const isMoved = await states.moveTip(conversationId, { from: tip, to: state.id });
  const own = isMoved ? conversationId : createId(clock);
  if (!isMoved) await states.moveTip(own, { from: undefined, to: state.id });
  return own;
}
