import { type ModelUsage, NO_USAGE, ownValue, type Usage } from "../../core/internal.ts";
import type { Transcript } from "../model/transcript.ts";
import { isObject } from "../records/content.ts";
import { usageOf } from "./transcript-usage.ts";

export type CliTotals = Readonly<Record<string, ModelUsage>>;

/**
 * Compares our totals with the CLI's, to a millionth of a dollar for each model: those of a result, or else the last ones that the transcript
 * notes. `unrecorded` is what the CLI counted and wrote no message for: compactions, titles. Only its own totals know it.
 */
export function checkParity(transcript: Transcript, totals?: CliTotals) {
  const theirs = totals ?? notedTotals(transcript);
  if (theirs === undefined) return undefined;
  const ours = ourTotals(transcript);
  const models = [...new Set([...Object.keys(theirs), ...Object.keys(ours)])];
  const differences = models.map((model) => [model, subtract(ownValue(theirs, model), ownValue(ours, model))] as const);
  const unequal = differences.filter(([, difference]) => !isNothing(difference));
  return { isEqual: unequal.length === 0, ours, theirs, unrecorded: Object.fromEntries(unequal) as CliTotals };
}

/** The totals of the last `cost-state` record, which the CLI has written since 2.1.248. */
function notedTotals({ records }: Transcript): CliTotals | undefined {
  const record = records.findLast((placed) => placed.record.type === "cost-state")?.record;
  if (record?.type !== "cost-state") return undefined;
  return Object.fromEntries(Object.entries(record.modelUsage).map(([model, usage]) => [model, fromNoted(usage)]));
}

function fromNoted(usage: unknown): ModelUsage {
  const fields = isObject(usage) ? usage : {};
  const number = (field: string): number => (typeof fields[field] === "number" ? fields[field] : 0);
  return {
    inputTokens: number("inputTokens"),
    outputTokens: number("outputTokens"),
    cacheReadTokens: number("cacheReadInputTokens"),
    cacheWriteTokens: number("cacheCreationInputTokens"),
    costUsd: number("costUSD"),
  };
}

function ourTotals(transcript: Transcript): CliTotals {
  const used = Object.entries(usageOf(transcript).byModel).filter(([, { usage }]) => hasTokens(usage));
  return Object.fromEntries(
    used.map(([model, { usage, costUsd, offlineCostUsd }]) => [
      model,
      { ...mapTokens((field) => usage[field]), costUsd: costUsd + offlineCostUsd },
    ]),
  );
}

function subtract(left: ModelUsage = NOTHING, right: ModelUsage = NOTHING): ModelUsage {
  return {
    ...mapTokens((field) => left[field] - right[field]),
    costUsd: Math.round((left.costUsd - right.costUsd) * 1_000_000) / 1_000_000,
  };
}

const NOTHING: ModelUsage = { ...NO_USAGE, costUsd: 0 };

function mapTokens(count: (field: keyof Usage) => number): Usage {
  const counts = Object.keys(NO_USAGE).map((field) => [field, count(field as keyof Usage)]);
  return Object.fromEntries(counts) as Usage;
}

/** The CLI rounds nothing and we round to a millionth: half of one is no difference. */
function isNothing({ costUsd, ...tokens }: ModelUsage): boolean {
  return Math.abs(costUsd) <= 0.000_001 && !hasTokens(tokens);
}

function hasTokens(usage: Usage): boolean {
  return Object.values(usage).some((count) => count !== 0);
}
