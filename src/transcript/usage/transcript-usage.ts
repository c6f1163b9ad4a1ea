import { PRICE_TABLE } from "../../core/internal.ts";
import { allMessages, type Subagent, type Transcript, type TranscriptMessage } from "../model/transcript.ts";
import { spokenText } from "../records/content.ts";
import { rawOf, type TranscriptRecord } from "../records/transcript-record.ts";
import {
  type CountedMessage,
  type CountOptions,
  createUsageCounter,
  toReport,
  type UsageReport,
} from "./usage-counter.ts";
import { NO_TOKENS, usageLineOf } from "./usage-line.ts";
import { type CountedUsage, groupUsage, sumUsage, type UsageTotals } from "./usage-totals.ts";

/** The usage of some transcripts together, sub-agents included; what two of them share counts once. */
export function usageOf(transcripts: Transcript | readonly Transcript[], options: CountOptions = {}): UsageReport {
  return toReport(countMessages(transcripts, options), options.prices ?? PRICE_TABLE);
}

/** Every response of some transcripts, counted once, with what it cost. */
export function countMessages(
  transcripts: Transcript | readonly Transcript[],
  options: CountOptions = {},
): readonly CountedMessage[] {
  const counter = createUsageCounter(options);
  const add = (record: TranscriptRecord, path: string): void => {
    const line = usageLineOf(rawOf(record));
    if (line !== undefined) counter.add(line, path);
  };
  for (const transcript of [transcripts].flat()) {
    for (const { record } of transcript.records) add(record, transcript.path);
    for (const { records, path, source } of transcript.subagents) {
      if (source === "file") for (const record of records) add(record, path ?? transcript.path);
    }
  }
  return counter.messages();
}

/** Tokens and money by turn, in the order of the file; what comes before the first prompt is a turn without one. */
export function usageByTurn(transcript: Transcript, options: CountOptions = {}) {
  const partsOf = createPartTaker(transcript, options);
  return collectTurns(transcript).map(({ prompt, messages }) => ({
    promptUuid: prompt?.uuid,
    prompt: spokenText(prompt?.text ?? ""),
    timestamp: prompt?.timestamp,
    ...sumUsage(messages.flatMap(partsOf)),
  }));
}

/** Tokens and money by sub-agent, also of those that have no id of their own. */
export function usageBySubagent(transcript: Transcript, options: CountOptions = {}) {
  const partsOf = createPartTaker(transcript, options);
  return transcript.subagents.map(({ agentId, agentType, description, parentToolUseId, messages }) => ({
    agentId,
    agentType,
    description,
    parentToolUseId,
    ...sumUsage(messages.flatMap(partsOf)),
  }));
}

/**
 * Tokens and money by tool. A response that calls several tools is shared evenly among them; what a sub-agent used goes
 * to the tools that it called itself. Responses that call none are under the empty name.
 */
export function usageByTool(transcript: Transcript, options: CountOptions = {}): Readonly<Record<string, UsageTotals>> {
  const partsOf = createPartTaker(transcript, options);
  const shares = allMessages(transcript).flatMap((message) => {
    const tools = message.toolUses.length === 0 ? [""] : message.toolUses.map(({ name }) => name);
    const parts = partsOf(message);
    return tools.flatMap((tool, index) => parts.map((part) => ({ tool, ...shareOf(part, index, tools.length) })));
  });
  return groupUsage(shares, ({ tool }) => tool);
}

/** Gives a message's own part and its advisors', and nothing twice. */
function createPartTaker(
  transcript: Transcript,
  options: CountOptions,
): (message: TranscriptMessage) => readonly CountedUsage[] {
  const left = new Map(countMessages(transcript, options).map((message) => [message.messageId, message]));
  return ({ usage }) => {
    const found = usage && left.get(usage.messageId);
    if (found === undefined) return [];
    left.delete(found.messageId);
    return [found, ...found.advisors];
  };
}

/** Whole tokens: what does not divide goes to the first. */
function shareOf(part: CountedUsage, index: number, count: number): CountedUsage {
  const share = (value: number): number => Math.floor(value / count) + (index < value % count ? 1 : 0);
  const usage = Object.fromEntries(Object.entries(part.usage).map(([field, value]) => [field, share(value)]));
  return { ...part, usage: { ...NO_TOKENS, ...usage }, costUsd: part.costUsd && part.costUsd / count };
}

/**
 * The turns of a transcript in the order of the file, those of rewound branches too: each with its messages and those of the
 * sub-agents that it started. What stands before the first prompt is a turn without one.
 */
export function collectTurns(transcript: Pick<Transcript, "messages" | "subagents">) {
  const turns: { prompt: TranscriptMessage | undefined; messages: TranscriptMessage[] }[] = [];
  const turnOfCall = new Map<string, number>();
  for (const message of transcript.messages) {
    const isPrompt = message.kind === "prompt";
    if (isPrompt || turns.length === 0) turns.push({ prompt: isPrompt ? message : undefined, messages: [] });
    turns.at(-1)?.messages.push(message);
    for (const { id } of message.toolUses) turnOfCall.set(id, turns.length - 1);
  }
  for (const subagent of transcript.subagents) {
    // One whose call is not known goes to the last turn, rather than to none.
    const turn = turnOfCall.get(rootCallOf(subagent, transcript.subagents) ?? "") ?? turns.length - 1;
    turns[turn]?.messages.push(...subagent.messages);
  }
  return turns;
}

function rootCallOf(subagent: Subagent, all: readonly Subagent[]): string | undefined {
  const seen = new Set<Subagent>();
  let at = subagent;
  while (at.parentAgentId !== undefined && !seen.has(at)) {
    seen.add(at);
    at = all.find(({ agentId }) => agentId === at.parentAgentId) ?? at;
  }
  return at.parentToolUseId;
}
