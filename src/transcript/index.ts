export {
  analyzeToolPatterns,
  calculateSessionMetrics,
  extractToolUsage,
  messagesByRole,
  messagesByTool,
  sessionMetadata,
  type SessionMetadata,
  type SessionMetrics,
  type ToolPattern,
} from "./analyse.ts";
export { findProjects, type FoundProjects, type ProjectFolder } from "./discover/find-projects.ts";
export {
  findSessions,
  findSessionSubagents,
  type FindOptions,
  type FoundSessions,
  type SessionFile,
} from "./discover/find-sessions.ts";
export { findTranscriptFiles, type TranscriptFiles } from "./discover/find-transcript-files.ts";
export { loadProject, sessionsWithTool, type LoadProjectOptions, type Project } from "./discover/load-project.ts";
export { summarizeSession, type SessionSummary } from "./discover/summarize-session.ts";
export { projectFolderName, transcriptsHome } from "./discover/transcripts-home.ts";
export type { IndexedFile, IndexedSession, IndexedToolUse } from "./index-store/indexed-session.ts";
export { openTranscriptIndex, type OpenIndexOptions } from "./index-store/open-transcript-index.ts";
export type { SearchHit, SearchOptions, SearchPage, SearchRole, Snippet } from "./index-store/search-options.ts";
export type { SessionPage, SessionQuery, SessionSort } from "./index-store/session-query.ts";
export type { StatsGroup, StatsOptions, StatsRow, ToolNumbers, UsageStats } from "./index-store/stats-options.ts";
export type {
  RefreshOptions,
  RefreshProgress,
  RefreshReport,
  SessionTotals,
  TranscriptIndex,
} from "./index-store/transcript-index.ts";
export { joinSessions, type LogicalSession } from "./join-sessions.ts";
export { load, type LoadOptions } from "./load.ts";
export { buildMessages } from "./model/build-messages.ts";
export { mainChain, messageByUuid, threadOf, treeOf } from "./model/chains.ts";
export type { ContentBlock, Image } from "./model/content.ts";
export { conversationTree, type Branch, type ConversationTree } from "./model/conversation-tree.ts";
export type { Compaction, PlacedRecord, Subagent, SubagentSource, Transcript } from "./model/transcript.ts";
export type { ToolResult, ToolUse, TranscriptMessage } from "./model/transcript-message.ts";
export type { UserKind } from "./model/user-kind.ts";
export { parseLine, type RecordPlace, type TranscriptEntry } from "./parse-line.ts";
export { parseSession, type SessionPiece, type SessionPieces } from "./parse-session.ts";
export { parseTranscript, type ParseOptions } from "./parse-transcript.ts";
export type { SkippedPath, TranscriptProblem } from "./problem.ts";
export { readFirstPage, readLastPage, type MessagePage } from "./read-page.ts";
export { RECORD_SCHEMAS } from "./records/record-schema.ts";
export {
  parseRecord,
  rawOf,
  RECORD_TYPES,
  type KnownRecord,
  type RecordOf,
  type RecordType,
  type TranscriptRecord,
  type UnknownRecord,
} from "./records/transcript-record.ts";
export { scanFile, type ScannedDamage, type ScannedRecord } from "./scan-file.ts";
export { scanUsage, type ScanUsageOptions, type UsageScan } from "./scan-usage.ts";
export type { ReadOptions } from "./scan/read-blocks.ts";
export { tail, type TailEntry, type TailOptions } from "./tail.ts";
export { checkParity, notedTotals, type CliTotals, type Parity } from "./usage/check-parity.ts";
export { costOf, type PricedUsage } from "./usage/cost-of.ts";
export { addTokens, NO_TOKENS, type ResponseUsage, type TokenUsage } from "./usage/token-usage.ts";
export {
  countMessages,
  usageBySubagent,
  type SubagentUsage,
  usageByTool,
  usageByTurn,
  usageOf,
  type TurnUsage,
} from "./usage/transcript-usage.ts";
export { collectTurns, type TranscriptTurn } from "./usage/turns.ts";
export {
  createUsageCounter,
  type CountedMessage,
  type CountOptions,
  type UsageCounter,
  type UsageReport,
} from "./usage/usage-counter.ts";
export { usageLineOf, type UsageLine } from "./usage/usage-line.ts";
export { sumUsage, type CountedUsage, type UsageTotals } from "./usage/usage-totals.ts";
export { watchTranscripts, type WatchedRecord, type WatchEvent, type WatchOptions } from "./watch/watch-transcripts.ts";
