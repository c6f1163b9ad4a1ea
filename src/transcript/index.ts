export { findProjects } from "./discover/find-projects.ts";
export { findSessions, findTranscriptFiles, type SessionFile } from "./discover/find-sessions.ts";
export { loadProject, sessionsWithTool } from "./discover/load-project.ts";
export { tail } from "./follow/tail.ts";
export {
  watchTranscripts,
  type WatchedRecord,
  type WatchEvent,
  type WatchOptions,
} from "./follow/watch-transcripts.ts";
export { openTranscriptIndex } from "./index-store/open-transcript-index.ts";
export type { IndexedSession, RefreshReport, TranscriptIndex } from "./index-store/transcript-index.ts";
export { mainChain, messageByUuid, threadOf, treeOf } from "./model/chains.ts";
export type { ConversationTree } from "./model/conversation-tree.ts";
export { joinSessions, type LogicalSession } from "./model/join-sessions.ts";
export type { Subagent, ToolUse, Transcript, TranscriptMessage } from "./model/transcript.ts";
export type { SkippedPath, TranscriptProblem } from "./problem.ts";
export { load, parseSession, type SessionPiece } from "./read/load.ts";
export { parseTranscript } from "./read/parse-transcript.ts";
export { readFirstPage, readLastPage, type MessagePage } from "./read/read-page.ts";
export type { ContentBlock, Image } from "./records/content.ts";
export { rawOf, RECORD_TYPES, type TranscriptRecord } from "./records/transcript-record.ts";
export { scanFile } from "./scan/scan-file.ts";
export { scanUsage } from "./scan/scan-usage.ts";
export {
  analyzeToolPatterns,
  calculateSessionMetrics,
  extractToolUsage,
  messagesByRole,
  messagesByTool,
  sessionMetadata,
} from "./usage/analyse.ts";
export { checkParity } from "./usage/check-parity.ts";
export { costOf } from "./usage/cost-of.ts";
export {
  collectTurns,
  countMessages,
  usageBySubagent,
  usageByTool,
  usageByTurn,
  usageOf,
} from "./usage/transcript-usage.ts";
export { createUsageCounter, type CountedMessage } from "./usage/usage-counter.ts";
export { sumUsage, type CountedUsage, type UsageTotals } from "./usage/usage-totals.ts";
