import { sql, type RawBuilder, type SqlBool } from "kysely";
import { groupBy, type PriceTable } from "../../core/internal.ts";
import { createDayNamer } from "../usage/usage-totals.ts";
import type { IndexDatabase } from "./schema.ts";
import {
  addSums,
  allOf,
  ANSWERED_BY,
  answeredBy,
  ofPlace,
  SHARED_SUMS,
  toTotals,
  USAGE_SUMS,
  type UsageSums,
  when,
} from "./sql-parts.ts";
import type { StatsOptions, StatsRow, ToolNumbers, UsageStats } from "./transcript-index.ts";

/** Adds usage up in groups. `session` is the id of a logical session. */
export async function selectStats(db: IndexDatabase, options: StatsOptions, prices: PriceTable): Promise<UsageStats> {
  const { by } = options;
  const rows = by === "tool" ? await sumTools(db, options) : toRows(await sumGroups(db, by, options), options);
  const models = await sumGroups(db, "model", options);
  return {
    by,
    rows: rows.toSorted((left, right) => compare(left, right, by)),
    total: toTotals(addSums(models)),
    prices: { date: prices.date, source: prices.source },
    unpricedModels: models.filter(({ unpriced }) => unpriced > 0).map(({ key }) => answeredBy(String(key))),
  };
}

interface Group extends UsageSums {
  readonly key: string | number | null;
  readonly label: string | null;
}

async function sumGroups(db: IndexDatabase, by: keyof typeof KEYS, options: StatsOptions): Promise<readonly Group[]> {
  const { rows } = await sql<Group>`
    select ${KEYS[by]} as key, max(coalesce(sessions.title, sessions.firstPrompt)) as label, ${USAGE_SUMS}
    from usage join files on files.row = usage.fileRow left join sessions on sessions.id = files.logicalId
    where usage.isCopy = 0 and ${conditionsOf(options, sql`usage.timestampMs`)} group by key order by key`.execute(db);
  return rows;
}

/** Days begin at other moments in other time zones, but everywhere at a quarter of an hour. */
const QUARTER_MS = 15 * 60 * 1000;

const KEYS = {
  day: sql`usage.timestampMs / ${sql.lit(QUARTER_MS)}`,
  model: ANSWERED_BY,
  project: sql`sessions.project`,
  session: sql`sessions.id`,
};

function conditionsOf(options: StatsOptions, moment: RawBuilder<unknown>): RawBuilder<SqlBool> {
  const isModel = when(options.model?.toLowerCase(), (part) => sql`instr(lower(${ANSWERED_BY}), ${part})`);
  return allOf([ofPlace(options, moment), isModel]);
}

function toRows(groups: readonly Group[], { by, timeZone }: StatsOptions): readonly StatsRow[] {
  const dayOf = createDayNamer(timeZone);
  const nameOf = ({ key }: Group): string => {
    if (by === "model") return answeredBy(String(key));
    if (by !== "day" || key === null) return String(key ?? "");
    return dayOf(new Date(Number(key) * QUARTER_MS).toISOString()) ?? "";
  };
  return [...groupBy(groups, nameOf)].map(([key, sums]) => ({
    key,
    label: by === "session" ? (sums[0]?.label ?? undefined) : undefined,
    tool: undefined,
    ...toTotals(addSums(sums)),
  }));
}

function compare(left: StatsRow, right: StatsRow, by: StatsOptions["by"]): number {
  const inOrder = left.key < right.key ? -1 : 1;
  if (by === "day") return inOrder;
  return right.costUsd - left.costUsd || (right.tool?.calls ?? 0) - (left.tool?.calls ?? 0) || inOrder;
}

interface ToolSums extends UsageSums, Pick<ToolNumbers, "calls" | "errors" | "unanswered"> {
  readonly name: string;
  readonly totalDurationMs: number | null;
  readonly averageDurationMs: number | null;
}

async function sumTools(db: IndexDatabase, options: StatsOptions): Promise<readonly StatsRow[]> {
  // An answer with an advisor has several rows of usage: a call is counted by the first.
  const first = sql`coalesce(usage.part, 0) = 0`;
  const duration = sql`max(0, calls.endedAtMs - calls.startedAtMs)`;
  const { rows } = await sql<ToolSums>`
    with calls as (
      select *, count(*) over (partition by coalesce(messageId, id)) as count,
        row_number() over (partition by coalesce(messageId, id) order by position) - 1 as place
      from toolCalls where isCopy = 0
    )
    select name, count(*) filter (where ${first}) as calls,
      count(*) filter (where ${first} and isError = 1) as errors,
      count(*) filter (where ${first} and isError is null) as unanswered,
      sum(${duration}) filter (where ${first}) as totalDurationMs,
      avg(${duration}) filter (where ${first}) as averageDurationMs, ${SHARED_SUMS}
    from calls join files on files.row = calls.fileRow left join sessions on sessions.id = files.logicalId
      left join usage on usage.messageId = calls.messageId and usage.isCopy = 0
    where ${conditionsOf(options, sql`calls.startedAtMs`)} group by name`.execute(db);
  return rows.map(({ name, calls, errors, unanswered, totalDurationMs, averageDurationMs, ...sums }) => {
    const durations = { totalDurationMs: totalDurationMs ?? 0, averageDurationMs: averageDurationMs ?? undefined };
    return { key: name, label: undefined, tool: { calls, errors, unanswered, ...durations }, ...toTotals(sums) };
  });
}
