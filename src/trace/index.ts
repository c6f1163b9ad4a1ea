export { AgentResponse } from "./agent-response.ts";
export { ClaudeAgent, type AgentSendOptions, type ClaudeAgentOptions } from "./claude-agent.ts";
export { beginConversation, type ConversationBeginning } from "./begin-conversation.ts";
export { collectGarbage, type Collection, type GarbageOptions } from "./collect-garbage.ts";
export { Conversation, type ConversationParts, type SendOptions } from "./conversation.ts";
export { findConversation } from "./find-conversation.ts";
export { readLastTransition, readTransitionOf } from "./history.ts";
export { findLostStates, type LostState } from "./lost-states.ts";
export { addNote, readNote, type ReadNote } from "./note.ts";
export { headState, recordPresent } from "./present-state.ts";
export {
  clearDeadBranches,
  findInterruptedTurns,
  RECORDING_MS,
  takeDirectory,
  type InterruptedTurn,
  type TakenDirectory,
} from "./interrupted-turns.ts";
export { recover, type Recovery } from "./recover.ts";
export { restoreState, type Arrival, type RestoreStateOptions } from "./restore-state.ts";
export type { ContentBlock, SessionEntry, SessionMessage, SessionSegment } from "./session-entry.ts";
export { readSession, readTranscript } from "./session-segments.ts";
export { readStateFile, type Settings, type State } from "./state.ts";
export type { IndexedState, IndexedTurn, ToolUse } from "./state-index/indexed-state.ts";
export type { StateQuery } from "./state-index/state-query.ts";
export type { ConversationSummary, StateTotals } from "./state-index/trace-index.ts";
export type { ForeignSession, NamedSession } from "./taken-up/find-foreign-session.ts";
export type { ToolExecution } from "./tool-recorder.ts";
export { createTransition, type TransitionParts } from "./by-hand/create-transition.ts";
export { Transition, type TransitionPoint } from "./transition.ts";
export { TransitionRecorder } from "./transition-recorder.ts";
export {
  LOOP_STOP_REASONS,
  runTurnLoop,
  type LoopEvent,
  type LoopLimits,
  type LoopStopReason,
  type LoopTurn,
  type TurnLoop,
} from "./turn-loop.ts";
export { undoLastTurn, type UndoOptions } from "./undo-turn.ts";
export { unpackSessions, type UnpackedSessions, type UnpackOptions } from "./unpacked/unpack-sessions.ts";
export { watchSessions, type WatchSessionsOptions } from "./unpacked/watch-sessions.ts";
export { verifyWorkspace, type Verification } from "./verify-workspace.ts";
export type { Execution, Ledger, Outcome, RecordedPrompt, ToolRecord } from "./transition-file.ts";
