import { usageError } from "../../protocol/index.ts";

/** A span of time, in milliseconds since the epoch: up to before its end. */
export type Span = readonly [sinceMs: number, untilMs: number];

export const BUCKETS = ["hour", "day"] as const;

/** How long one part of a series is. */
export type Bucket = (typeof BUCKETS)[number];

const MOST_SPANS = 1000;

const HOUR_MS = 3_600_000;

/** The hours or days of a time zone that lie in a span, the first and the last cut to it. */
export function splitSpan([sinceMs, untilMs]: Span, bucket: Bucket, timeZone?: string): readonly Span[] {
  const offsetAt = createOffsets(timeZone);
  const spans: Span[] = [];
  for (let at = sinceMs; at < untilMs;) {
    const end = Math.min(untilMs, bucket === "hour" ? nextHour(at, offsetAt(at)) : nextDay(at, offsetAt));
    spans.push([at, end]);
    if (spans.length > MOST_SPANS) throw tooMany(bucket);
    at = end;
  }
  return spans;
}

function tooMany(bucket: Bucket): Error {
  return usageError("metrics", `There are more than ${MOST_SPANS} ${bucket}s between from and to`, {
    target: "from",
    hint: bucket === "hour" ? "Ask for days, or for less at once" : "Ask for less at once",
  });
}

function nextHour(atMs: number, offsetMs: number): number {
  return (Math.floor((atMs + offsetMs) / HOUR_MS) + 1) * HOUR_MS - offsetMs;
}

/** The first midnight after a moment; where clocks leave that out, the moment at which they go on. */
function nextDay(atMs: number, offsetAt: (atMs: number) => number): number {
  const dayMs = 24 * HOUR_MS;
  const midnight = (Math.floor((atMs + offsetAt(atMs)) / dayMs) + 1) * dayMs;
  const guess = midnight - offsetAt(atMs);
  const exact = midnight - offsetAt(guess);
  return exact > atMs ? exact : guess;
}

/** How much a time zone's clocks are ahead of UTC at a moment. */
function createOffsets(timeZone: string | undefined): (atMs: number) => number {
  const format = new Intl.DateTimeFormat("en-US", {
    ...(timeZone === undefined ? {} : { timeZone }),
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (atMs) => {
    const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]));
    const [year = 0, month = 1, day, hour, minute, second] = (
      ["year", "month", "day", "hour", "minute", "second"] as const
    ).map((type) => parts.get(type) ?? 0);
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(atMs / 1000) * 1000;
  };
}
