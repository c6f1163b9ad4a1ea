import { microUsd, sumMicroUsd, toUsd } from "../../core/internal.ts";
import type { MetricsSeries } from "./read-metrics.ts";

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** Sums up a series of hours by the hour of the week, as the clocks of a time zone show it; an hour that clocks show twice counts in one. */
export function sumHours(hours: MetricsSeries["buckets"], timeZone: string | undefined) {
  const format = new Intl.DateTimeFormat("en-US", { weekday: "short", hour: "2-digit", hourCycle: "h23", timeZone });
  const sums = WEEKDAYS.flatMap((_, day) =>
    Array.from({ length: 24 }, (_hour, hour) => ({ weekday: day + 1, hour, turns: 0, failed: 0, cost_usd: 0 })),
  );
  for (const { fromMs, metrics } of hours) {
    if (metrics.turns === 0) continue;
    const parts = new Map(format.formatToParts(fromMs).map(({ type, value }) => [type, value]));
    const sum = sums[WEEKDAYS.indexOf(parts.get("weekday") ?? "") * 24 + Number(parts.get("hour"))];
    if (!sum) continue;
    sum.turns += metrics.turns;
    sum.failed += metrics.failed + metrics.interrupted;
    sum.cost_usd = toUsd(sumMicroUsd([sum.cost_usd, metrics.costUsd].map(microUsd)));
  }
  return sums;
}
