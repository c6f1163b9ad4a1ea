// What other rooms use of this one; users have `index.ts`.
export { oldCopies } from "./copies/old-copies.ts";
export { findSessions, type SessionFile } from "./discover/find-sessions.ts";
export {
  watchTranscripts,
  type WatchedRecord,
  type WatchEvent,
  type WatchOptions,
} from "./follow/watch-transcripts.ts";
export { openTranscriptIndex } from "./index-store/open-transcript-index.ts";
export type { IndexReport, TranscriptIndex } from "./index-store/transcript-index.ts";
export { mainChain } from "./model/chains.ts";
export { joinSessions, type LogicalSession } from "./model/join-sessions.ts";
export type { Subagent, ToolUse, Transcript, TranscriptMessage } from "./model/transcript.ts";
export { load, parseSession, type SessionPiece } from "./read/load.ts";
export { readFirstPage, readLastPage, type MessagePage } from "./read/read-page.ts";
export type { ContentBlock, Image } from "./records/content.ts";
export { rawOf, RECORD_TYPES, type TranscriptRecord } from "./records/transcript-record.ts";
export { openTranscriptTotals } from "./totals/open-transcripts.ts";
export type {
  IndexedSession,
  RefreshOptions,
  RefreshProgress,
  RefreshReport,
  TranscriptTotals,
} from "./totals/transcript-totals.ts";
export { costOf } from "./usage/cost-of.ts";
export { collectTurns, countMessages, usageOf } from "./usage/transcript-usage.ts";
export { createUsageCounter, type CountedMessage } from "./usage/usage-counter.ts";
export { sumUsage, type UsageTotals } from "./usage/usage-totals.ts";
