export { AgentResponse } from "./agent/agent-response.ts";
export { ClaudeAgent, type AgentSendOptions, type ClaudeAgentOptions } from "./agent/claude-agent.ts";
export { beginConversation, type ConversationBeginning } from "./conversation/begin-conversation.ts";
export { collectGarbage, type Collection, type GarbageOptions } from "./recovery/collect-garbage.ts";
export { Conversation, type ConversationParts, type SendOptions } from "./conversation/conversation.ts";
export {
  findBySession,
  findConversation,
  listConversations,
  readConversation,
  type FoundConversation,
} from "./conversation/find-conversation.ts";
export { TraceIndex } from "./state-index/trace-index.ts";
export { readLastTransition, readTransitionOf } from "./record/history.ts";
export { findLostStates, type LostState } from "./recovery/lost-states.ts";
export { addNote, readNote, type ReadNote } from "./record/note.ts";
export { headState, recordPresent } from "./record/record-state.ts";
export {
  clearDeadBranches,
  findInterruptedTurns,
  RECORDING_MS,
  takeDirectory,
  type InterruptedTurn,
  type TakenDirectory,
} from "./recovery/interrupted-turns.ts";
export { recover, type Recovery } from "./recovery/recover.ts";
export { restoreState, type Arrival, type RestoreStateOptions } from "./undo/restore-state.ts";
export type { SessionBlock, SessionEntry, SessionMessage, SessionSegment } from "./session/session-entry.ts";
export { readSession, readTranscript } from "./session/session-segments.ts";
export { readStateFile, type Settings, type State } from "./record/state.ts";
export type {
  ConversationSummary,
  IndexedState,
  IndexedTurn,
  StateQuery,
  StateTotals,
  ToolCount,
} from "./state-index/state-index.ts";
export type { ForeignSession, NamedSession } from "./session/import-session.ts";
export type { ToolExecution } from "./turn/tool-recorder.ts";
export { createTransition, type TransitionParts } from "./by-hand/create-transition.ts";
export { Transition, type TransitionPoint } from "./record/transition.ts";
export { TransitionRecorder } from "./by-hand/transition-recorder.ts";
export {
  LOOP_STOP_REASONS,
  runTurnLoop,
  type LoopEvent,
  type LoopLimits,
  type LoopStopReason,
  type LoopTurn,
  type TurnLoop,
} from "./turn/turn-loop.ts";
export { undoLastTurn, type UndoOptions } from "./undo/undo-turn.ts";
export { unpackSessions, type UnpackedSessions, type UnpackOptions } from "./unpacked/unpack-sessions.ts";
export { watchSessions, type WatchSessionsOptions } from "./unpacked/watch-sessions.ts";
export { verifyWorkspace, type Verification } from "./recovery/verify-workspace.ts";
export type { Execution, Ledger, Outcome, RecordedPrompt, ToolRecord } from "./record/transition-file.ts";
