import type { AgentMetrics, MetricsSeries, UsageAnswer } from "../../../../src/monitor/api-types.ts";

export type Bucket = MetricsSeries["buckets"][number];
export type Figures = Bucket["metrics"];

/** A plot and the table under it: a row for each hour or day, a column for each series. */
export interface ChartData {
  readonly rows: readonly ChartRow[];
  readonly series: readonly string[];
}

export interface ChartRow {
  /** When the hour or day begins, ISO 8601. */
  readonly from: string;
  /** What each series has in it; null where there is nothing to tell. */
  readonly values: readonly (number | null)[];
}

/** What one plot shows of each of several groups, the rest of the whole as "others". */
export function byGroup(
  total: readonly Bucket[],
  groups: readonly { readonly name: string; readonly buckets: readonly Bucket[] }[],
  valueOf: (figures: Figures) => number,
): ChartData {
  const hasOthers = total.some((bucket, place) => restOf(bucket, place) > Math.abs(valueOf(bucket.metrics)) * 1e-6);
  function restOf({ metrics }: Bucket, place: number): number {
    const told = groups.reduce((sum, { buckets }) => sum + valueAt(buckets[place], valueOf), 0);
    return Math.max(0, valueOf(metrics) - told);
  }
  return {
    series: [...groups.map(({ name }) => name), ...(hasOthers ? ["others"] : [])],
    rows: total.map((bucket, place) => ({
      from: bucket.from,
      values: [
        ...groups.map(({ buckets }) => valueAt(buckets[place], valueOf)),
        ...(hasOthers ? [restOf(bucket, place)] : []),
      ],
    })),
  };
}

function valueAt(bucket: Bucket | undefined, valueOf: (figures: Figures) => number): number {
  return bucket ? valueOf(bucket.metrics) : 0;
}

/** Tokens of each kind. */
export function tokensByKind(buckets: readonly Bucket[]): ChartData {
  return {
    series: ["read from the cache", "written into the cache", "read", "written"],
    rows: buckets.map(({ from, metrics: { usage } }) => ({
      from,
      values: [usage.cache_read_tokens, usage.cache_write_tokens, usage.input_tokens, usage.output_tokens],
    })),
  };
}

/** How long turns took, where there were any. */
export function turnTimes(buckets: readonly Bucket[]): ChartData {
  return {
    series: ["half of them", "95 of 100"],
    rows: buckets.map(({ from, metrics: { turn_time: time } }) => ({
      from,
      values: time === null ? [null, null] : [time.p50_ms, time.p95_ms],
    })),
  };
}

/** Turns that failed, by the kind of their error. */
export function errorsByKind(buckets: readonly Bucket[]): ChartData {
  return byName(buckets, ({ errors }) => errors.map(({ kind, turns }) => [kind, turns] as const));
}

/** Calls of tools, by tool. */
export function callsByTool(buckets: readonly Bucket[]): ChartData {
  return byName(buckets, ({ tools }) => tools.map(({ tool, calls }) => [tool, calls] as const));
}

/** What each agent cost. */
export function costsByAgent(buckets: AgentMetrics["buckets"]): ChartData {
  return byNameOf(buckets, ({ agents }) =>
    agents
      .filter(({ cost_usd: costUsd }) => costUsd > 0)
      .map(({ agent, cost_usd: costUsd }) => [agent, costUsd] as const),
  );
}

const MOST_SERIES = 5;

type Counts = readonly (readonly [name: string, count: number])[];

function byName(buckets: readonly Bucket[], countsOf: (figures: Figures) => Counts): ChartData {
  return byNameOf(buckets, ({ metrics }) => countsOf(metrics));
}

function byNameOf<Part extends { readonly from: string }>(
  buckets: readonly Part[],
  countsOf: (bucket: Part) => Counts,
): ChartData {
  const counts = buckets.map((bucket) => new Map(countsOf(bucket)));
  const sums = new Map<string, number>();
  for (const each of counts) for (const [name, count] of each) sums.set(name, (sums.get(name) ?? 0) + count);
  const names = [...sums].toSorted(([, left], [, right]) => right - left).map(([name]) => name);
  const shown = names.length > MOST_SERIES + 1 ? names.slice(0, MOST_SERIES) : names;
  const others = new Set(names.filter((name) => !shown.includes(name)));
  return {
    series: [...shown, ...(others.size > 0 ? ["others"] : [])],
    rows: buckets.map(({ from }, place) => {
      const each = counts[place] ?? new Map<string, number>();
      const rest = [...each].reduce((sum, [name, count]) => (others.has(name) ? sum + count : sum), 0);
      return { from, values: [...shown.map((name) => each.get(name) ?? 0), ...(others.size > 0 ? [rest] : [])] };
    }),
  };
}

/** The sum of each series. */
export function sumsOf({ series, rows }: ChartData): readonly number[] {
  return series.map((_, place) => rows.reduce((sum, { values }) => sum + (values[place] ?? 0), 0));
}

/** A series without the hours or days before the first in which there is anything. */
export function fromFirst(buckets: readonly Bucket[]): readonly Bucket[] {
  const first = buckets.findIndex(({ metrics }) => metrics.turns > 0);
  return first < 0 ? buckets : buckets.slice(first);
}

const DAY_MS = 86_400_000;

/** What sessions came to in each day, those without any too: as far as they reach, and those of the plots above. */
export function usageByDay(rows: UsageAnswer["rows"], buckets: readonly Bucket[]): ChartData {
  const days = new Map(rows.filter(({ key }) => key !== "").map(({ key, usage }) => [key, usage.cost_usd]));
  const keys = [...days.keys(), ...buckets.map(({ from }) => dayOf(from))].toSorted();
  const [first, last] = [keys[0], keys.at(-1)];
  if (first === undefined || last === undefined) return { series: ["all sessions"], rows: [] };
  const count = Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS) + 1;
  return {
    series: ["all sessions"],
    rows: Array.from({ length: count }, (_, place) => {
      const key = new Date(Date.parse(first) + place * DAY_MS).toISOString().slice(0, 10);
      return { from: new Date(`${key}T00:00:00`).toISOString(), values: [days.get(key) ?? 0] };
    }),
  };
}

/** The day of a moment in the person's own zone: `2026-11-19`. */
function dayOf(moment: string): string {
  return new Date(moment).toLocaleDateString("sv-SE");
}
