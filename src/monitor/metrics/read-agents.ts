import { systemClock, toUsd, type Usage } from "../../core/internal.ts";
import type { AgentFigures, SkippedStore } from "../../trace/internal.ts";
import { spansOfSeries, type MetricsQuery, type MetricsSource } from "./read-metrics.ts";
import type { Bucket } from "./spans.ts";

/** What an agent came to. */
export interface AgentMetrics {
  readonly agent: string;
  readonly turns: number;
  readonly usage: Usage;
  /** What was paid, in US dollars. Turns of the offline model are in it only where that was asked for. */
  readonly costUsd: number;
  readonly offlineCostUsd: number;
}

/** What each agent came to in each hour or day. */
export interface AgentSeries {
  readonly buckets: readonly {
    readonly fromMs: number;
    readonly toMs: number;
    readonly agents: readonly AgentMetrics[];
  }[];
  readonly skipped: readonly SkippedStore[];
}

/** Divides what turns came to among their agents, once they are recorded: by the hour or day, the agent that cost most first. */
export async function readAgents(
  { figures, clock = systemClock }: MetricsSource,
  query: MetricsQuery & { readonly bucket: Bucket; readonly timeZone?: string | undefined },
): Promise<AgentSeries> {
  const spans = spansOfSeries(query, clock);
  const { workspace, model } = query;
  const { shares, skipped } = await figures.shares({ spans, workspace, model });
  const bySpan = spans.map((): AgentFigures[] => []);
  for (const share of shares) bySpan[share.span]?.push(share);
  const toAgent = ({ agent, turns, usage, paidMicroUsd, offlineMicroUsd }: AgentFigures): AgentMetrics => {
    const [paidUsd, offlineCostUsd] = [toUsd(paidMicroUsd), toUsd(offlineMicroUsd)];
    return { agent, turns, usage, costUsd: query.includeOffline ? paidUsd + offlineCostUsd : paidUsd, offlineCostUsd };
  };
  const buckets = spans.map(([fromMs, toMs], span) => ({
    fromMs,
    toMs,
    agents: (bySpan[span] ?? [])
      .map(toAgent)
      .toSorted((left, right) => right.costUsd - left.costUsd || (left.agent < right.agent ? -1 : 1)),
  }));
  return { buckets, skipped };
}
