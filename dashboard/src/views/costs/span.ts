export const SPANS = ["24h", "7d", "30d", "90d", "all"] as const;
export type SpanName = (typeof SPANS)[number];

export const SPAN_LABELS: Readonly<Record<SpanName, string>> = {
  "24h": "24 hours",
  "7d": "7 days",
  "30d": "30 days",
  "90d": "90 days",
  all: "all time",
};

/** A span of time as the server is asked for it, and how long one part of its series is. */
export interface Span {
  readonly from: string | undefined;
  readonly bucket: "hour" | "day";
}

const HOUR_MS = 3_600_000;

/** How many days the server tells in one series, with some to spare. */
export const MOST_DAYS = 990;

const HOURS: Readonly<Record<Exclude<SpanName, "all">, number>> = { "24h": 24, "7d": 168, "30d": 720, "90d": 2160 };

/** Where a span begins: at a whole hour, or with the day that it begins in, so that asking again asks for the same. */
export function spanOf(name: SpanName, nowMs: number): Span {
  if (name === "all") return { from: undefined, bucket: "day" };
  const bucket = name === "24h" ? "hour" : "day";
  return { from: beginning(nowMs - (HOURS[name] - (bucket === "hour" ? 1 : 24)) * HOUR_MS, bucket), bucket };
}

/** How far back the server counts the hours of the week. */
const MOST_HEATMAP_DAYS = 40;

/** Where the heatmap begins: with the span, as far as hours are counted. */
export function heatmapFrom(name: SpanName, nowMs: number): string {
  const days = heatmapDays(name);
  if (days === undefined) return spanOf(name, nowMs).from ?? "";
  return beginning(nowMs - (days - 1) * 24 * HOUR_MS, "day");
}

/** How many days the heatmap has, where that is less than the span. */
export function heatmapDays(name: SpanName): number | undefined {
  return name === "all" || HOURS[name] > MOST_HEATMAP_DAYS * 24 ? MOST_HEATMAP_DAYS : undefined;
}

function beginning(ms: number, bucket: Span["bucket"]): string {
  const date = new Date(ms);
  if (bucket === "day") date.setHours(0, 0, 0, 0);
  else date.setMinutes(0, 0, 0);
  return date.toISOString();
}
