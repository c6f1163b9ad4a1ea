import {
  addUsage,
  emptyRecord,
  microUsd,
  NO_USAGE,
  ownValue,
  parseApiUsage,
  sumMicroUsd,
  tokensOf,
  toUsd,
  type ModelUsage,
  type TurnResult,
  type Usage,
} from "../../core/internal.ts";
import { costOf } from "../../transcript/internal.ts";
import { EMPTY_SEGMENT, messagesOf, type SessionMessage, type SessionSegment } from "../session/session-entry.ts";
import type { Ledger } from "../record/transition-file.ts";

/**
 * Settles what a turn used. The CLI's own total comes first, as a lower bound where a response broke off; where it is missing, the larger of what the stream and the
 * transcript tell, as a lower bound. Each response counts once, by its message id, and the last count of it is the one.
 */
export function settle(
  result: TurnResult,
  { hasTotal, segment }: { readonly hasTotal: boolean; readonly segment: SessionSegment | undefined },
): Pick<TurnResult, "usage" | "costUsd" | "usageByModel"> & { readonly ledger: Ledger } {
  const { main, subagents, agents, costs } = usageOf(segment ?? EMPTY_SEGMENT);
  const apart = Object.keys(agents).length > 0 ? { subagents, agents } : { subagents };
  const transcript = sumModels(main, subagents);
  if (hasTotal) {
    const ledger: Ledger = {
      source: "result",
      isLowerBound: result.isLowerBound === true,
      ...apart,
      // Where nothing is known of the session there is nothing to disagree with.
      mismatches: segment ? compare(result.usageByModel, transcript) : [],
    };
    return { usage: result.usage, costUsd: result.costUsd, usageByModel: result.usageByModel, ledger };
  }
  const isStreamMore = total(result.usageByModel) >= total(transcript);
  const usageByModel = isStreamMore ? result.usageByModel : withMoney(transcript, costs);
  const priced = Object.values(usageByModel).map(({ costUsd }) => microUsd(costUsd));
  return {
    usage: Object.values(usageByModel).reduce(addUsage, NO_USAGE),
    costUsd: isStreamMore ? result.costUsd : toUsd(sumMicroUsd(priced)),
    usageByModel,
    ledger: { source: isStreamMore ? "stream" : "transcript", isLowerBound: true, ...apart, mismatches: [] },
  };
}

/** The CLI's own total comes with the message that it ends a turn with, which is there where it said why; a turn that was killed has none. */
export function tellsTotal({ isError, terminalReason }: TurnResult): boolean {
  return !isError || terminalReason !== undefined;
}

type ByModel = Readonly<Record<string, Usage>>;

const FIELDS = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"] as const;

function usageOf(segment: SessionSegment) {
  const responses = new Map<string, SessionMessage>();
  for (const message of messagesOf(segment)) {
    if (message.role === "assistant" && message.id !== undefined) responses.set(message.id, message);
  }
  const main = emptyRecord<Usage>();
  const subagents = emptyRecord<Usage>();
  const agents = emptyRecord<ModelUsage>();
  // Dollars by the price table; of a model that it does not know, none.
  const costs = emptyRecord<number>();
  for (const { model = "", subagent, raw } of responses.values()) {
    // What the CLI itself puts into a conversation, such as the word that a turn was interrupted, used nothing.
    if (model === "<synthetic>") continue;
    const isApart = subagent !== undefined || raw["isSidechain"] === true;
    const sums = isApart ? subagents : main;
    const usage = parseApiUsage((raw["message"] as { readonly usage?: Readonly<Record<string, unknown>> }).usage);
    sums[model] = addUsage(sums[model] ?? NO_USAGE, usage);
    const costUsd = priceOf(model, usage);
    costs[model] = (costs[model] ?? 0) + costUsd;
    if (!isApart) continue;
    const type = subagent === undefined ? "" : typeOf(segment, subagent);
    const known = agents[type] ?? { ...NO_USAGE, costUsd: 0 };
    agents[type] = { ...addUsage(known, usage), costUsd: known.costUsd + costUsd };
  }
  return { main, subagents, agents, costs };
}

const MOST_TYPE_CHARACTERS = 100;

/** The type of a sub-agent, as its transcript tells it; empty where it does not. */
function typeOf({ subagents }: SessionSegment, path: string): string {
  const type = subagents.get(path)?.find((entry) => entry.type === "agent_metadata")?.["agentType"];
  return typeof type === "string" ? type.slice(0, MOST_TYPE_CHARACTERS) : "";
}

function compare(result: ByModel, transcript: ByModel): Ledger["mismatches"] {
  const models = [...new Set([...Object.keys(result), ...Object.keys(transcript)])];
  return models.flatMap((model) =>
    FIELDS.flatMap((field) => {
      const told = ownValue(result, model)?.[field] ?? 0;
      const found = ownValue(transcript, model)?.[field] ?? 0;
      return told === found ? [] : [{ model, field, source: "transcript" as const, result: told, found }];
    }),
  );
}

function sumModels(left: ByModel, right: ByModel): ByModel {
  const sums = Object.assign(emptyRecord<Usage>(), left);
  for (const [model, usage] of Object.entries(right)) sums[model] = addUsage(sums[model] ?? NO_USAGE, usage);
  return sums;
}

function total(usage: ByModel): number {
  return tokensOf(Object.values(usage).reduce(addUsage, NO_USAGE));
}

function withMoney(usage: ByModel, costs: Readonly<Record<string, number>>): Readonly<Record<string, ModelUsage>> {
  return Object.fromEntries(
    Object.entries(usage).map(([model, each]) => [model, { ...each, costUsd: ownValue(costs, model) ?? 0 }]),
  );
}

/** At the least: what is kept in the cache for an hour costs more than what is kept for five minutes. */
function priceOf(model: string, usage: Usage): number {
  const { cacheWriteTokens: cacheWrite5mTokens } = usage;
  const tokens = { ...usage, cacheWrite5mTokens, cacheWrite1hTokens: 0, webSearches: 0 };
  return costOf(model, { usage: tokens, isFast: false, isUsOnly: false }) ?? 0;
}
