export {
  IndexedSessionData,
  MessageData,
  PricesData,
  SkippedData,
  UnreadData,
  UsageData,
  costColumn,
  costText,
  countedUsage,
  offlineNotes,
  nameOf,
  toIndexedSessionData,
  toMessageData,
  toUnreadData,
  toUsageData,
  tokensText,
  trustNotes,
  unreadNotes,
} from "./session-data.ts";
export { describeTranscript } from "./describe-transcript.ts";
export { type PageSource, sourceOfMessages, sourceOfTranscripts } from "./page-source.ts";
export { createMarkdownStream, type MarkdownStream } from "./markdown-stream.ts";
export { renderMarkdown } from "./render-markdown.ts";
export { renderPage } from "./render-page.ts";
export { renderText } from "./render-text.ts";
export { toSessionPage } from "./session-page.ts";
