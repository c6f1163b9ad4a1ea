import { groupBy, type PriceTable } from "../../core/internal.ts";
import type { StatsOptions, StatsRow, UsageStats } from "./transcript-totals.ts";
import { createDayNamer, QUARTER_MS } from "../usage/usage-totals.ts";
import type { LedgerFile } from "./ledger.ts";
import { isInTime, isOfPlace } from "./session-filter.ts";
import type { SessionSum } from "./sum-sessions.ts";
import { sumToolUsage } from "./sum-tools.ts";
import type { TotalsView } from "./totals-view.ts";
import { addSum, addUsage, createUsageSum, toTotals, type UsageSum } from "./usage-sums.ts";

/** Adds usage up in groups. `session` is the id of a logical session. */
export function sumStats(view: TotalsView, options: StatsOptions, prices: PriceTable): UsageStats {
  const { by } = options;
  const models = sumGroups(view, options, ({ answeredBy }) => answeredBy);
  const total = createUsageSum();
  for (const sum of models.values()) addSum(total, sum);
  const rows = by === "tool" ? sumToolUsage(view, options) : toRows(view, options, by);
  return {
    by,
    rows: rows.toSorted((left, right) => compare(left, right, by)),
    total: toTotals(total),
    prices: { date: prices.date, source: prices.source },
    unpricedModels: [...models].flatMap(([name, { unpriced }]) => (unpriced > 0 ? name : [])).toSorted(),
  };
}

interface CountedRow {
  readonly answeredBy: string;
  readonly timestampMs: number;
  readonly session: SessionSum;
}

function sumGroups<Key>(
  view: TotalsView,
  options: StatsOptions,
  keyOf: (row: CountedRow) => Key,
): ReadonlyMap<Key, UsageSum> {
  const { ledger, copies, costs } = view;
  const { usage } = ledger;
  const model = options.model?.toLowerCase();
  const sums = new Map<Key, UsageSum>();
  for (const [place, file] of ledger.files.entries()) {
    const session = view.sessionOf(place);
    if (!isOfPlace(session, options)) continue;
    const { start, end } = file.usage;
    for (let row = start; row < end; row += 1) {
      const timestampMs = usage.timestampMs[row] as number;
      const answeredBy = nameOf(file, usage.answeredBy[row] as number);
      if (copies.usage[row] === 1 || !isInTime(timestampMs, options)) continue;
      if (model !== undefined && !answeredBy.toLowerCase().includes(model)) continue;
      const key = keyOf({ answeredBy, timestampMs, session });
      let sum = sums.get(key);
      if (sum === undefined) sums.set(key, (sum = createUsageSum()));
      addUsage(sum, usage, row, costs[row] as number);
    }
  }
  return sums;
}

function nameOf({ facts }: LedgerFile, number: number): string {
  return facts.names[number] ?? "";
}

function toRows(view: TotalsView, options: StatsOptions, by: Exclude<StatsOptions["by"], "tool">): readonly StatsRow[] {
  const dayOf = createDayNamer(options.timeZone);
  const groups = {
    day: () => sumGroups(view, options, ({ timestampMs }) => Math.floor(timestampMs / QUARTER_MS)),
    model: () => sumGroups(view, options, ({ answeredBy }) => answeredBy),
    project: () => sumGroups(view, options, ({ session }) => session.project),
    session: () => sumGroups(view, options, ({ session }) => session.id),
  };
  const sums: readonly (readonly [string | number | undefined, UsageSum])[] = [...groups[by]()];
  const keyOf = ([key]: (typeof sums)[number]): string => {
    if (by !== "day") return String(key ?? "");
    return Number.isNaN(key) ? "" : (dayOf(new Date(Number(key) * QUARTER_MS).toISOString()) ?? "");
  };
  return [...groupBy(sums, keyOf)].map(([key, parts]) => {
    const sum = createUsageSum();
    for (const [, part] of parts) addSum(sum, part);
    return { key, label: by === "session" ? view.labelOf(key) : undefined, tool: undefined, ...toTotals(sum) };
  });
}

function compare(left: StatsRow, right: StatsRow, by: StatsOptions["by"]): number {
  const inOrder = left.key < right.key ? -1 : 1;
  if (by === "day") return inOrder;
  return right.costUsd - left.costUsd || (right.tool?.calls ?? 0) - (left.tool?.calls ?? 0) || inOrder;
}
