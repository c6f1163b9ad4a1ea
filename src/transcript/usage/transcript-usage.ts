import { PRICE_TABLE } from "../../core/index.ts";
import type { Transcript } from "../model/transcript.ts";
import { rawOf } from "../records/transcript-record.ts";
import type { TranscriptMessage } from "../model/transcript-message.ts";
import { spokenText } from "../model/user-kind.ts";
import { collectTurns } from "./turns.ts";
import { NO_TOKENS, type TokenUsage } from "./token-usage.ts";
import {
  createUsageCounter,
  toReport,
  type CountedMessage,
  type CountOptions,
  type UsageReport,
} from "./usage-counter.ts";
import { groupUsage, sumUsage, type CountedUsage, type UsageTotals } from "./usage-totals.ts";
import { usageLineOf } from "./usage-line.ts";

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
  for (const transcript of Array.isArray(transcripts)
    ? (transcripts as readonly Transcript[])
    : [transcripts as Transcript]) {
    for (const { record } of transcript.records) {
      const line = usageLineOf(rawOf(record));
      if (line !== undefined) counter.add(line, transcript.path);
    }
    for (const { records, path } of transcript.subagents.filter(({ source }) => source === "file")) {
      for (const record of records) {
        const line = usageLineOf(rawOf(record));
        if (line !== undefined) counter.add(line, path ?? transcript.path);
      }
    }
  }
  return counter.messages();
}

/** What a turn used: the main conversation's responses and those of the sub-agents that it started. */
export interface TurnUsage extends UsageTotals {
  /** The uuid of the prompt; undefined for what comes before the first one. */
  readonly promptUuid: string | undefined;
  readonly prompt: string;
  readonly timestamp: string | undefined;
}

/** Tokens and money by turn, in the order of the file. */
export function usageByTurn(transcript: Transcript, options: CountOptions = {}): readonly TurnUsage[] {
  const counted = partsById(transcript, options);
  return collectTurns(transcript).map(({ prompt, messages }) => ({
    promptUuid: prompt?.uuid,
    prompt: spokenText(prompt?.text ?? ""),
    timestamp: prompt?.timestamp,
    ...sumUsage(messages.flatMap((message) => partsOf(message, counted))),
  }));
}

/** What a sub-agent used. */
export interface SubagentUsage extends UsageTotals {
  readonly agentId: string;
  readonly agentType: string | undefined;
  readonly description: string | undefined;
  readonly parentToolUseId: string | undefined;
}

/** Tokens and money by sub-agent, also of those that have no id of their own. */
export function usageBySubagent(transcript: Transcript, options: CountOptions = {}): readonly SubagentUsage[] {
  const counted = partsById(transcript, options);
  return transcript.subagents.map(({ agentId, agentType, description, parentToolUseId, messages }) => ({
    agentId,
    agentType,
    description,
    parentToolUseId,
    ...sumUsage(messages.flatMap((message) => partsOf(message, counted))),
  }));
}

/**
 * Tokens and money by tool. A response that calls several tools is shared evenly among them; what a sub-agent used goes
 * to the tools that it called itself. Responses that call none are under the empty name.
 */
export function usageByTool(transcript: Transcript, options: CountOptions = {}): Readonly<Record<string, UsageTotals>> {
  const counted = partsById(transcript, options);
  const all = [...transcript.messages, ...transcript.subagents.flatMap(({ messages }) => messages)];
  const shares = all.flatMap((message) => {
    const tools = message.toolUses.length === 0 ? [""] : message.toolUses.map(({ name }) => name);
    const parts = partsOf(message, counted);
    return tools.flatMap((tool, index) => parts.map((part) => ({ tool, ...shareOf(part, index, tools.length) })));
  });
  return groupUsage(shares, ({ tool }) => tool);
}

function partsById(transcript: Transcript, options: CountOptions): Map<string, CountedMessage> {
  return new Map(countMessages(transcript, options).map((message) => [message.messageId, message]));
}

/** A message's own part and its advisors'; taken out of the map, so that nothing is given out twice. */
function partsOf(message: TranscriptMessage, counted: Map<string, CountedMessage>): readonly CountedUsage[] {
  const id = message.usage?.messageId;
  const found = id === undefined ? undefined : counted.get(id);
  if (id === undefined || found === undefined) return [];
  counted.delete(id);
  return [found, ...found.advisors];
}

/** Whole tokens: what does not divide goes to the first. */
function shareOf(part: CountedUsage, index: number, count: number): CountedUsage {
  const share = (value: number): number => Math.floor(value / count) + (index < value % count ? 1 : 0);
  const usage = Object.fromEntries(
    Object.keys(NO_TOKENS).map((field) => [field, share(part.usage[field as keyof TokenUsage])]),
  );
  return {
    ...part,
    usage: usage as unknown as TokenUsage,
    costUsd: part.costUsd === undefined ? undefined : part.costUsd / count,
  };
}
