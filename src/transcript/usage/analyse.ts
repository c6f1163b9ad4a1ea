import { groupBy, tokensOf } from "../../core/internal.ts";
import { allMessages, type ToolUse, type Transcript, type TranscriptMessage } from "../model/transcript.ts";
import { usageOf } from "./transcript-usage.ts";
import type { CountOptions } from "./usage-counter.ts";

/** The numbers of a session, sub-agents included. */
export function sessionMetadata(transcript: Transcript, options: CountOptions = {}) {
  const all = allMessages(transcript);
  const uses = extractToolUsage(transcript);
  const byTool = [...groupBy(uses, ({ name }) => name)];
  const times = all
    .flatMap(({ timestamp = "", endTimestamp = "" }) => [timestamp, endTimestamp])
    .filter((time) => !Number.isNaN(Date.parse(time)))
    .toSorted();
  const { total, byModel } = usageOf(transcript, options);
  return {
    ...total,
    sessionId: transcript.sessionId,
    path: transcript.path,
    totalMessages: all.length,
    userMessages: all.filter(({ role }) => role === "user").length,
    assistantMessages: all.filter(({ role }) => role === "assistant").length,
    prompts: transcript.messages.filter(({ kind }) => kind === "prompt").length,
    totalTokens: tokensOf(total.usage),
    models: Object.keys(byModel),
    toolsUsed: byTool.map(([name]) => name),
    totalToolCalls: uses.length,
    toolUsageCount: Object.fromEntries(byTool.map(([name, calls]) => [name, calls.length])),
    firstTimestamp: times[0],
    lastTimestamp: times.at(-1),
    /** A session that was resumed slept in between. */
    durationMs: times.length === 0 ? 0 : Date.parse(times.at(-1) ?? "") - Date.parse(times[0] ?? ""),
    /** From what was said to the model to the end of its answer. */
    averageResponseMs: averageOf(responseTimes(transcript.messages)),
  };
}

/** How each tool did, the most used first. */
export function analyzeToolPatterns(transcripts: Transcript | readonly Transcript[]) {
  const uses = [transcripts].flat().flatMap(extractToolUsage);
  return [...groupBy(uses, ({ name }) => name)]
    .map(([tool, calls]) => toPattern(tool, calls))
    .toSorted((left, right) => right.calls - left.calls);
}

/** Totals and averages of a session. */
export function calculateSessionMetrics(transcript: Transcript, options: CountOptions = {}) {
  const metadata = sessionMetadata(transcript, options);
  const count = Math.max(1, metadata.totalMessages);
  return {
    ...metadata,
    averageCostPerMessageUsd: metadata.costUsd / count,
    averageDurationPerMessageMs: metadata.durationMs / count,
  };
}

/** Every call of a tool, the sub-agents' too. */
export function extractToolUsage(transcript: Transcript): readonly ToolUse[] {
  return allMessages(transcript).flatMap(({ toolUses }) => toolUses);
}

/** The messages of one role. */
export function messagesByRole(transcript: Transcript, role: TranscriptMessage["role"]): readonly TranscriptMessage[] {
  return transcript.messages.filter((message) => message.role === role);
}

/** The messages that call a tool. */
export function messagesByTool(transcript: Transcript, tool: string): readonly TranscriptMessage[] {
  return allMessages(transcript).filter(({ toolUses }) => toolUses.some(({ name }) => name === tool));
}

function toPattern(tool: string, calls: readonly ToolUse[]) {
  const results = calls.map(({ result }) => result).filter((result) => result !== undefined);
  const succeeded = results.filter(({ isError, isInterrupted }) => !isError && !isInterrupted).length;
  const durations = calls.map(({ durationMs }) => durationMs).filter((duration) => duration !== undefined);
  return {
    tool,
    calls: calls.length,
    /** Without an error, and nobody stopped them. */
    succeeded,
    failed: results.length - succeeded,
    /** Calls whose result is not in the file. */
    unanswered: calls.length - results.length,
    successRate: results.length === 0 ? undefined : succeeded / results.length,
    averageDurationMs: averageOf(durations),
    totalDurationMs: durations.reduce((sum, duration) => sum + duration, 0),
  };
}

function responseTimes(messages: readonly TranscriptMessage[]): readonly number[] {
  return messages.flatMap((message, index) => {
    const before = messages[index - 1];
    const time = Date.parse(message.endTimestamp ?? "") - Date.parse(before?.endTimestamp ?? "");
    return message.role === "assistant" && before?.role === "user" && time >= 0 ? [time] : [];
  });
}

function averageOf(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}
