import { sql, type Kysely, type RawBuilder, type SqlBool } from "kysely";
import type { PriceTable } from "../../core/index.ts";
import { createDayNamer } from "../usage/day-of.ts";
import type { TranscriptTables } from "./schema.ts";
import { allOf, ofProject } from "./session-conditions.ts";
import { sumTools } from "./sum-tools.ts";
import type { StatsGroup, StatsOptions, StatsRow, UsageStats } from "./stats-options.ts";
import { addSums, NO_SUMS, toTotals, USAGE_SUMS, type UsageSums } from "./usage-sums.ts";

/** Adds usage up in groups. `session` is the id of a logical session. */
export async function selectStats(
  db: Kysely<TranscriptTables>,
  options: StatsOptions,
  prices: PriceTable,
): Promise<UsageStats> {
  const conditions = usageConditions(options);
  const groups = options.by === "tool" ? [] : await sumGroups(db, options.by, conditions);
  const rows = options.by === "tool" ? await sumTools(db, options) : toRows(groups, options);
  const models = await sumGroups(db, "model", conditions);
  const total = { ...NO_SUMS };
  for (const sums of models) addSums(total, sums);
  return {
    by: options.by,
    rows: rows.toSorted((left, right) => compare(left, right, options.by)),
    total: toTotals(total),
    prices: { date: prices.date, source: prices.source },
    unpricedModels: models.filter(({ unpriced }) => unpriced > 0).map(({ key }) => String(key)),
  };
}

interface Group extends UsageSums {
  readonly key: string | number | null;
  readonly label: string | null;
}

async function sumGroups(
  db: Kysely<TranscriptTables>,
  by: Exclude<StatsGroup, "tool">,
  conditions: RawBuilder<SqlBool>,
): Promise<readonly Group[]> {
  const { rows } = await sql<Group>`
    select ${keyOf(by)} as key, max(coalesce(sessions.title, sessions.firstPrompt)) as label, ${USAGE_SUMS}
    from usage join files on files.row = usage.fileRow left join sessions on sessions.id = files.logicalId
    where ${conditions} group by key order by key`.execute(db);
  return rows;
}

/** Days begin at other moments in other time zones, but everywhere at a quarter of an hour. */
const QUARTER_MS = 15 * 60 * 1000;

function keyOf(by: Exclude<StatsGroup, "tool">): RawBuilder<unknown> {
  switch (by) {
    case "day":
      return sql`usage.timestampMs / ${sql.lit(QUARTER_MS)}`;
    case "model":
      return sql`usage.model`;
    case "project":
      return sql`sessions.project`;
    case "session":
      return sql`sessions.id`;
  }
}

function usageConditions({ project, session, model, sinceMs, untilMs }: StatsOptions): RawBuilder<SqlBool> {
  return allOf([
    sql`usage.isCopy = 0`,
    project === undefined ? undefined : ofProject(project),
    session === undefined ? undefined : sql`sessions.id = ${session}`,
    model === undefined ? undefined : sql`instr(lower(usage.model), ${model.toLowerCase()})`,
    sinceMs === undefined ? undefined : sql`usage.timestampMs >= ${sinceMs}`,
    untilMs === undefined ? undefined : sql`usage.timestampMs < ${untilMs}`,
  ]);
}

function toRows(groups: readonly Group[], { by, timeZone }: StatsOptions): readonly StatsRow[] {
  const dayOf = createDayNamer(timeZone);
  const nameOf = (key: Group["key"]): string => {
    if (by !== "day" || key === null) return String(key ?? "");
    return dayOf(new Date(Number(key) * QUARTER_MS).toISOString()) ?? "";
  };
  const byName = new Map<string, { sums: { -readonly [Field in keyof UsageSums]: number }; label: string | null }>();
  for (const group of groups) {
    const name = nameOf(group.key);
    const known = byName.get(name) ?? { sums: { ...NO_SUMS }, label: group.label };
    addSums(known.sums, group);
    byName.set(name, known);
  }
  return [...byName].map(([key, { sums, label }]) => ({
    key,
    label: by === "session" ? (label ?? undefined) : undefined,
    tool: undefined,
    ...toTotals(sums),
  }));
}

function compare(left: StatsRow, right: StatsRow, by: StatsGroup): number {
  const inOrder = left.key < right.key ? -1 : 1;
  if (by === "day") return inOrder;
  return right.costUsd - left.costUsd || (right.tool?.calls ?? 0) - (left.tool?.calls ?? 0) || inOrder;
}
