import { percentile, toUsd, type Usage } from "../../core/internal.ts";
import type { Figures } from "../../trace/internal.ts";

/** What turns came to. A share of nothing is null. */
export interface Metrics {
  /** Turns that ended, however they did. */
  readonly turns: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Turns that were cut off, as their process was killed. */
  readonly interrupted: number;
  /** The share of turns that failed or were interrupted. */
  readonly errorRate: number | null;
  /** Those turns by the kind of their error, the most frequent first. */
  readonly errors: readonly ErrorMetric[];
  /** How long turns took; null where there are none. */
  readonly turnTime: TurnTime | null;
  /** Turns for each hour of the span. */
  readonly turnsPerHour: number | null;
  readonly usage: Usage;
  /** The share of what the model read that came from the cache. */
  readonly cacheHitShare: number | null;
  /** What was paid, in US dollars. Turns of the offline model are in it only where that was asked for. */
  readonly costUsd: number;
  /** What the turns of the offline model would have cost by the price list. */
  readonly offlineCostUsd: number;
  readonly toolCalls: number;
  /** Calls that failed or were denied. */
  readonly toolErrors: number;
  /** The tools, the one called most first. */
  readonly tools: readonly ToolMetric[];
  /** States from which more than one of the turns began. */
  readonly branchPoints: number;
  /** The turns that began from those. */
  readonly branches: number;
  /** Rewards by name. */
  readonly rewards: readonly RewardMetric[];
}

/** How often turns failed with an error. */
export interface ErrorMetric {
  /** The error's kind; `failed` or `interrupted` where the record has none. */
  readonly kind: string;
  readonly turns: number;
  /** The share of all turns. */
  readonly rate: number;
}

/** How long turns took, in milliseconds. A percentile is the time of one of the turns: the shortest that so many took at most. */
export interface TurnTime {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly meanMs: number;
  readonly longestMs: number;
}

/** How often a tool was called. */
export interface ToolMetric {
  readonly tool: string;
  readonly calls: number;
  /** Calls that failed or were denied. */
  readonly errors: number;
  readonly errorRate: number;
}

/** How the rewards of a name are distributed. */
export interface RewardMetric {
  readonly name: string;
  readonly count: number;
  readonly mean: number;
  readonly lowest: number;
  readonly p25: number;
  readonly p50: number;
  readonly p75: number;
  readonly best: {
    readonly value: number;
    readonly stateId: string;
    /** The workspace that the state is in, by its path. */
    readonly workspace: string;
  };
}

const HOUR_MS = 3_600_000;

/** What figures say, of a span of so many milliseconds. */
export function toMetrics(
  figures: Figures,
  { spanMs, includeOffline }: { readonly spanMs: number; readonly includeOffline: boolean },
): Metrics {
  const { turns, outcomes, usage, paidMicroUsd, offlineMicroUsd, branchPoints, branches } = figures;
  const paidUsd = toUsd(paidMicroUsd);
  const offlineCostUsd = toUsd(offlineMicroUsd);
  const tools = toolMetrics(figures);
  const readTokens = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  return {
    turns,
    ...outcomes,
    errorRate: share(outcomes.failed + outcomes.interrupted, turns),
    errors: [...figures.errors]
      .map(([kind, count]) => ({ kind, turns: count, rate: count / turns }))
      .toSorted((left, right) => right.turns - left.turns || (left.kind < right.kind ? -1 : 1)),
    turnTime: turnTime(figures.durationsMs),
    turnsPerHour: spanMs > 0 ? (turns * HOUR_MS) / spanMs : null,
    usage,
    cacheHitShare: share(usage.cacheReadTokens, readTokens),
    costUsd: includeOffline ? paidUsd + offlineCostUsd : paidUsd,
    offlineCostUsd,
    toolCalls: tools.reduce((sum, { calls }) => sum + calls, 0),
    toolErrors: tools.reduce((sum, { errors }) => sum + errors, 0),
    tools,
    branchPoints,
    branches,
    rewards: rewardMetrics(figures),
  };
}

function share(part: number, whole: number): number | null {
  return whole > 0 ? part / whole : null;
}

function turnTime(durationsMs: readonly number[]): TurnTime | null {
  const sorted = Float64Array.from(durationsMs).toSorted();
  const longestMs = sorted.at(-1);
  if (longestMs === undefined) return null;
  return {
    p50Ms: percentile(sorted, 50),
    p95Ms: percentile(sorted, 95),
    p99Ms: percentile(sorted, 99),
    meanMs: mean(sorted),
    longestMs,
  };
}

/** Summed up in order of size: the same numbers always give the same mean. */
function mean(sorted: Float64Array): number {
  return sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
}

function toolMetrics({ tools }: Figures): readonly ToolMetric[] {
  return [...tools]
    .map(([tool, { calls, errors }]) => ({ tool, calls, errors, errorRate: errors / calls }))
    .toSorted((left, right) => right.calls - left.calls || (left.tool < right.tool ? -1 : 1));
}

function rewardMetrics({ rewards }: Figures): readonly RewardMetric[] {
  const named = [...rewards].toSorted(([left], [right]) => (left < right ? -1 : 1));
  return named.map(([name, { values, best }]) => {
    const sorted = Float64Array.from(values).toSorted();
    return {
      name,
      count: sorted.length,
      mean: mean(sorted),
      lowest: percentile(sorted, 0),
      p25: percentile(sorted, 25),
      p50: percentile(sorted, 50),
      p75: percentile(sorted, 75),
      best: { value: best.value, stateId: best.stateId, workspace: best.store },
    };
  });
}
