import { type ModelUsage, NO_USAGE, ownValue, type Usage } from "../../core/index.ts";
import type { Transcript } from "../model/transcript.ts";
import { isObject } from "../records/content.ts";
import { usageOf } from "./transcript-usage.ts";

/** What the CLI reckons for a session, by model. */
export type CliTotals = Readonly<Record<string, ModelUsage>>;

/** Whether our totals are the CLI's, and what is missing. */
export interface Parity {
  /** Whether tokens are equal and money is, to a millionth of a dollar for each model. */
  readonly isEqual: boolean;
  readonly ours: CliTotals;
  readonly theirs: CliTotals;
  /** What the CLI counted and wrote no message for, by model: compactions, titles. Only the CLI's own totals know it. */
  readonly unrecorded: CliTotals;
}

/** Compares our totals with the CLI's: those of a result, or else the last ones that the transcript itself notes. */
export function checkParity(transcript: Transcript, totals?: CliTotals): Parity | undefined {
  const theirs = totals ?? notedTotals(transcript);
  if (theirs === undefined) return undefined;
  const ours = ourTotals(transcript);
  const models = [...new Set([...Object.keys(theirs), ...Object.keys(ours)])];
  const differences = models.map((model) => [model, subtract(ownValue(theirs, model), ownValue(ours, model))] as const);
  const unequal = differences.filter(([, difference]) => !isNothing(difference));
  return { isEqual: unequal.length === 0, ours, theirs, unrecorded: Object.fromEntries(unequal) };
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
    used.map(([model, { usage, costUsd }]) => [model, { ...mapTokens((field) => usage[field]), costUsd }]),
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
