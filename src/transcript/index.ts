export { findProjects } from "./discover/find-projects.ts";
export { findSessions, findTranscriptFiles, type SessionFile } from "./discover/find-sessions.ts";
export { loadProject, sessionsWithTool } from "./discover/load-project.ts";
export { tail } from "./follow/tail.ts";
export { watchTranscripts, type WatchEvent } from "./follow/watch-transcripts.ts";
export { openTranscriptIndex } from "./index-store/open-transcript-index.ts";
export type { TranscriptIndex } from "./index-store/transcript-index.ts";
export { mainChain, messageByUuid, threadOf, treeOf } from "./model/chains.ts";
export type { ConversationTree } from "./model/conversation-tree.ts";
export { joinSessions } from "./model/join-sessions.ts";
export type { Subagent, ToolUse, Transcript, TranscriptMessage } from "./model/transcript.ts";
export { load } from "./read/load.ts";
export { parseTranscript } from "./read/parse-transcript.ts";
export { readFirstPage, readLastPage, type MessagePage } from "./read/read-page.ts";
export type { ContentBlock } from "./records/content.ts";
export { rawOf } from "./records/transcript-record.ts";
export { scanFile } from "./scan/scan-file.ts";
export { scanUsage } from "./scan/scan-usage.ts";
export { openTranscriptTotals } from "./totals/open-transcripts.ts";
export type { TranscriptTotals } from "./totals/transcript-totals.ts";
export {
  analyzeToolPatterns,
  calculateSessionMetrics,
  extractToolUsage,
  messagesByRole,
  messagesByTool,
  sessionMetadata,
} from "./usage/analyse.ts";
export { checkParity } from "./usage/check-parity.ts";
export { usageBySubagent, usageByTool, usageByTurn, usageOf } from "./usage/transcript-usage.ts";
export { createUsageCounter } from "./usage/usage-counter.ts";
export type { UsageTotals } from "./usage/usage-totals.ts";
