import { keepPreviousData, useQueries, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useMemo } from "react";
import type * as Api from "../../../../src/monitor/api-types.ts";
import { api } from "../../data/api.ts";
import { useNow } from "../../parts/use-now.ts";
import { byGroup, costsByAgent, fromFirst, type Bucket, type ChartData } from "./chart-data.ts";
import { heatmapFrom, MOST_DAYS, spanOf, type SpanName } from "./span.ts";

/** Which turns are looked at. */
export interface Shown {
  readonly span: SpanName;
  readonly workspace: string | undefined;
  readonly model: string | undefined;
  /** Whether turns of the offline model count as if they had been paid. */
  readonly isOfflineCounted: boolean;
}

export type GroupBy = "model" | "workspace" | "agent";

const TIME_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Changes with the hour, so that what is asked for stays the same until then. */
function useHour(): number {
  return Math.floor(useNow() / HOUR_MS) * HOUR_MS;
}

function filters({ workspace, model, isOfflineCounted }: Shown) {
  return { workspace, model, ...(isOfflineCounted && { include_offline: "true" as const }) };
}

/** The sums of the span, and those of each model or workspace. */
export function useSums(shown: Shown, by: GroupBy): UseQueryResult<Api.MetricsAnswer> {
  const { from } = spanOf(shown.span, useHour());
  // What agents cost is divided by the server in its own list.
  const query = { ...filters(shown), from, by: by === "agent" ? ("model" as const) : by };
  return useQuery({
    queryKey: ["metrics", "sums", query],
    queryFn: ({ signal }) => api.metrics(query, signal),
    placeholderData: keepPreviousData,
  });
}

/** The hours or days of the span; of all time from the first in which there was anything. */
export function useBuckets(shown: Shown): UseQueryResult<readonly Bucket[]> {
  const query = useSeriesQuery(shown);
  return useQuery({
    queryKey: ["metrics", "series", query],
    queryFn: ({ signal }) => api.series(query, signal),
    select: ({ buckets }) => (shown.span === "all" ? fromFirst(buckets) : buckets),
    placeholderData: keepPreviousData,
  });
}

function useSeriesQuery(shown: Shown): Api.SeriesQuery {
  const hourMs = useHour();
  const { from, bucket } = spanOf(shown.span, hourMs);
  const begin = from ?? new Date(hourMs - MOST_DAYS * DAY_MS).toISOString();
  return { ...filters(shown), from: begin, bucket, time_zone: TIME_ZONE };
}

/** What is shown by name; there are no colours for more. */
const MOST_GROUPS = 5;

/** The cost of each agent in each hour or day: of the main conversation, and of sub-agents by type. */
export function useAgentCosts(
  shown: Shown,
  { isShown, total }: { readonly isShown: boolean; readonly total: readonly Bucket[] },
): ChartData {
  const query = useSeriesQuery(shown);
  const { data } = useQuery({
    queryKey: ["metrics", "agents", query],
    queryFn: ({ signal }) => api.agentMetrics(query, signal),
    enabled: isShown,
  });
  return useMemo(() => costsByAgent(data?.buckets.slice(data.buckets.length - total.length) ?? []), [data, total]);
}

/** The cost of each model or workspace in each hour or day. */
export function useCosts(
  shown: Shown,
  { by, names, total }: { readonly by: GroupBy; readonly names: readonly string[]; readonly total: readonly Bucket[] },
): ChartData {
  const query = useSeriesQuery(shown);
  const named = useMemo(() => names.slice(0, MOST_GROUPS), [names]);
  const answers = useQueries({
    queries: named.map((name) => {
      const part = { ...query, [by]: name };
      return {
        queryKey: ["metrics", "series", part],
        queryFn: async ({ signal }: { readonly signal: AbortSignal }) => await api.series(part, signal),
      };
    }),
    combine: (results) => results.map(({ data }) => data?.buckets),
  });
  return useMemo(() => {
    const groups = named.flatMap((name, place) => {
      const buckets = answers[place];
      // The days before the first are cut from all alike.
      return buckets === undefined ? [] : [{ name, buckets: buckets.slice(buckets.length - total.length) }];
    });
    return byGroup(total, groups, ({ cost_usd: costUsd }) => costUsd);
  }, [named, answers, total]);
}

/** Turns and cost by the hour of the week, as far back as the server counts them. */
export function useHeatmap(shown: Shown): UseQueryResult<Api.Heatmap> {
  const from = heatmapFrom(shown.span, useHour());
  const query: Api.HeatmapQuery = { ...filters(shown), from, time_zone: TIME_ZONE };
  return useQuery({
    queryKey: ["metrics", "heatmap", query],
    queryFn: ({ signal }) => api.heatmap(query, signal),
    placeholderData: keepPreviousData,
  });
}

/** What is watched, and how much of each bound is used. */
export function useLimits(): UseQueryResult<Api.LimitList> {
  return useQuery({ queryKey: ["metrics", "limits"], queryFn: ({ signal }) => api.limits(signal) });
}

/** What sessions used by day, whoever started them. */
export function useSessionUsage(shown: Shown): UseQueryResult<Api.UsageAnswer> {
  const { from } = spanOf(shown.span, useHour());
  const { workspace: project, model } = shown;
  const query: Api.UsageQuery = { by: "day", since: from, project, model, time_zone: TIME_ZONE };
  return useQuery({
    queryKey: ["sessions", "usage", query],
    queryFn: ({ signal }) => api.usage(query, signal),
    placeholderData: keepPreviousData,
  });
}
