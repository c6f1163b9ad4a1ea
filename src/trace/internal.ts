// What other rooms use of this one; users have `index.ts`.
export { beginConversation, type ConversationBeginning } from "./conversation/begin-conversation.ts";
export { collectGarbage } from "./recovery/collect-garbage.ts";
export { Conversation, type ConversationParts, type SendOptions } from "./conversation/conversation.ts";
export {
  findBySession,
  findConversation,
  listConversations,
  readConversation,
  type FoundConversation,
} from "./conversation/find-conversation.ts";
export type { AgentFigures } from "./state-index/agent-shares.ts";
export { createFigureReader, type FigureReader } from "./state-index/figure-reader.ts";
export { openStores, type SkippedStore } from "./state-index/open-stores.ts";
export { createStateReader, type PlacedState, type StateReader } from "./state-index/state-reader.ts";
export { addFigures, figuresOfTurn, NO_FIGURES, type CountedTurn, type Figures } from "./state-index/figures.ts";
export { TraceIndex } from "./state-index/trace-index.ts";
export { readLastTransition, readTransitionOf } from "./record/history.ts";
export { addNote, readNote } from "./record/note.ts";
export { readMark, setMark, type StateMark } from "./record/state-mark.ts";
export { headState, presentState, recordPresent } from "./record/record-state.ts";
export {
  clearDeadBranches,
  findInterruptedTurns,
  RECORDING_MS,
  takeDirectory,
  type TakenDirectory,
} from "./recovery/interrupted-turns.ts";
export { findRunningTurns, type RunningTurn } from "./recovery/running-turns.ts";
export { findLostStates } from "./recovery/lost-states.ts";
export { recover } from "./recovery/recover.ts";
export { restoreState, type Arrival } from "./undo/restore-state.ts";
export type { SessionSegment } from "./session/session-entry.ts";
export { readSession, readTranscript } from "./session/session-segments.ts";
export { readStateFile, type State } from "./record/state.ts";
export type {
  ConversationSummary,
  IndexedState,
  SearchSummary,
  StatePlace,
  StateQuery,
} from "./state-index/state-index.ts";
export { readOffer } from "./turn/kept-offer.ts";
export type { ToolExecution } from "./turn/tool-recorder.ts";
export { TransitionRecorder } from "./by-hand/transition-recorder.ts";
export { createTransition, type TransitionParts } from "./by-hand/create-transition.ts";
export { Transition } from "./record/transition.ts";
export { forgetEvents } from "./turn/turn-events.ts";
export { LOOP_STOP_REASONS, runTurnLoop, type LoopEvent, type LoopTurn, type TurnLoop } from "./turn/turn-loop.ts";
export { undoLastTurn, type UndoOptions } from "./undo/undo-turn.ts";
export { unpackSessions } from "./unpacked/unpack-sessions.ts";
export { watchSessions } from "./unpacked/watch-sessions.ts";
export { verifyWorkspace } from "./recovery/verify-workspace.ts";
