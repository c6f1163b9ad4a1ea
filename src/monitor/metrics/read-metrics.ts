import { systemClock, type Clock } from "../../core/internal.ts";
import {
  addFigures,
  figuresOfTurn,
  NO_FIGURES,
  type FigureReader,
  type Figures,
  type SkippedStore,
} from "../../trace/internal.ts";
import { usageError } from "../../protocol/index.ts";
import type { Runs } from "../runs/runs.ts";
import { liveTurns, type LiveTurn } from "./live-turns.ts";
import { toMetrics, type Metrics } from "./metrics.ts";
import { splitSpan, type Bucket, type Span } from "./spans.ts";

/** Where figures come from. */
export interface MetricsSource {
  /** What is recorded. */
  readonly figures: FigureReader;
  /** What happens now; without it a turn counts once it is recorded. */
  readonly runs?: Pick<Runs, "known"> | undefined;
  readonly clock?: Clock | undefined;
}

/** Which turns figures are of. */
export interface MetricsQuery {
  /** Recorded at this moment or later, in milliseconds since the epoch; since the first turn unless given. */
  readonly from?: number | undefined;
  /** Recorded before this moment; up to now unless given. */
  readonly to?: number | undefined;
  /** Only turns of the workspace with this path. */
  readonly workspace?: string | undefined;
  /** Only turns that this model answered, as the API names it. */
  readonly model?: string | undefined;
  /** Whether the money has what turns of the offline model would have cost. */
  readonly includeOffline?: boolean | undefined;
}

/** The figures of a span of time. */
export interface MetricsSummary {
  readonly fromMs: number;
  readonly toMs: number;
  readonly total: Metrics;
  /** The same for each workspace or model, where they were asked for apart, the one with the most turns first. */
  readonly groups: readonly { readonly key: string; readonly metrics: Metrics }[];
  /** Workspaces whose record could not be read. */
  readonly skipped: readonly SkippedStore[];
}

/** The figures of hours or days, one after the other. */
export interface MetricsSeries {
  readonly buckets: readonly { readonly fromMs: number; readonly toMs: number; readonly metrics: Metrics }[];
  readonly skipped: readonly SkippedStore[];
}

/** Sums up the turns of a span of time. A turn counts once it has ended, at the moment when it was recorded. */
export async function readMetrics(
  source: MetricsSource,
  query: MetricsQuery & { readonly by?: "workspace" | "model" | undefined } = {},
): Promise<MetricsSummary> {
  const { from = EARLIEST_MS, to = LATEST_MS } = checkSpan(query);
  const { parts, skipped } = await readParts(source, query, { spans: [[from, to]], isByModel: query.by === "model" });
  const sum = sumOf(parts);
  const toMs = query.to ?? nowOf(source);
  const fromMs = query.from ?? Math.min(sum.firstAtMs, toMs);
  const how = { spanMs: toMs - fromMs, includeOffline: query.includeOffline ?? false };
  const groups = new Map<string, Figures>();
  for (const { workspace, model = "", figures } of query.by === undefined ? [] : parts) {
    const key = query.by === "model" ? model : workspace;
    groups.set(key, addFigures(groups.get(key) ?? NO_FIGURES, figures));
  }
  return {
    fromMs,
    toMs,
    total: toMetrics(sum, how),
    groups: [...groups]
      .map(([key, figures]) => ({ key, metrics: toMetrics(figures, how) }))
      .toSorted((left, right) => right.metrics.turns - left.metrics.turns || (left.key < right.key ? -1 : 1)),
    skipped,
  };
}

/** Sums up the turns of each hour or day of a span of time. */
export async function readMetricsSeries(
  source: MetricsSource,
  query: MetricsQuery & { readonly bucket: Bucket; readonly timeZone?: string | undefined },
): Promise<MetricsSeries> {
  const spans = spansOfSeries(query, source.clock);
  const { parts, skipped } = await readParts(source, query, { spans });
  const sums = spans.map(() => NO_FIGURES);
  for (const { span, figures } of parts) sums[span] = addFigures(sums[span] ?? NO_FIGURES, figures);
  const buckets = spans.map(([fromMs, toMs], at) => {
    const how = { spanMs: toMs - fromMs, includeOffline: query.includeOffline ?? false };
    return { fromMs, toMs, metrics: toMetrics(sums[at] ?? NO_FIGURES, how) };
  });
  return { buckets, skipped };
}

/** The hours or days that a series has. */
export function spansOfSeries(
  {
    bucket,
    timeZone,
    ...query
  }: Pick<MetricsQuery, "from" | "to"> & { readonly bucket: Bucket; readonly timeZone?: string | undefined },
  clock: Clock = systemClock,
): readonly Span[] {
  // What is recorded in this very millisecond is in it.
  const { to = clock.now() + 1 } = query;
  const { from = to - USUAL_MS[bucket] } = query;
  checkSpan({ from, to });
  return splitSpan([from, to], bucket, timeZone);
}

const DAY_MS = 86_400_000;

/** How far a series goes back unless it is said. */
const USUAL_MS: Readonly<Record<Bucket, number>> = { hour: DAY_MS, day: 30 * DAY_MS };

/** The first and the last moment of a date. */
const LATEST_MS = 8_640_000_000_000_000;
const EARLIEST_MS = -LATEST_MS;

function nowOf({ clock = systemClock }: MetricsSource): number {
  return clock.now();
}

function checkSpan<Given extends Pick<MetricsQuery, "from" | "to">>(given: Given): Given {
  const { from = EARLIEST_MS, to = LATEST_MS } = given;
  if (from < to) return given;
  throw usageError("metrics", "The end of the time is not after its beginning", { target: "to" });
}

interface Part {
  readonly workspace: string;
  readonly span: number;
  readonly model: string | undefined;
  readonly figures: Figures;
}

async function readParts(
  { figures, runs }: MetricsSource,
  { workspace, model }: MetricsQuery,
  asked: { readonly spans: readonly Span[]; readonly isByModel?: boolean },
): Promise<{ readonly parts: readonly Part[]; readonly skipped: readonly SkippedStore[] }> {
  // They are looked at first: what is recorded meanwhile is then found in the store, and counted there alone.
  const live = liveTurns(runs?.known() ?? []).filter((turn) => workspace === undefined || turn.workspace === workspace);
  const transitionIds = live.map(({ transitionId }) => transitionId);
  const { stores, skipped } = await figures.read({ ...asked, workspace, model, transitionIds });
  const recorded = new Set(stores.flatMap(({ recorded: some }) => [...some]));
  const open = live.filter((turn) => !recorded.has(turn.transitionId) && (model ?? turn.model) === turn.model);
  const stored = stores.flatMap(({ store, groups }) =>
    groups.map((group) => ({
      ...group,
      workspace: store.workspace,
      figures: withStore(group.figures, store.workspace),
    })),
  );
  return { parts: [...stored, ...open.flatMap((turn) => livePart(turn, asked))], skipped };
}

function livePart(
  { workspace, endedAtMs, model, counted }: LiveTurn,
  { spans, isByModel }: { readonly spans: readonly Span[]; readonly isByModel?: boolean },
): readonly Part[] {
  const span = spans.findIndex(([sinceMs, untilMs]) => endedAtMs >= sinceMs && endedAtMs < untilMs);
  if (span === -1) return [];
  return [{ workspace, span, model: isByModel ? model : undefined, figures: figuresOfTurn(counted, endedAtMs) }];
}

function withStore(figures: Figures, store: string): Figures {
  const rewards = [...figures.rewards].map(
    ([name, { values, best }]) => [name, { values, best: { ...best, store } }] as const,
  );
  return { ...figures, rewards: new Map(rewards) };
}

function sumOf(parts: readonly Part[]): Figures {
  return parts.map(({ figures }) => figures).reduce(addFigures, NO_FIGURES);
}
