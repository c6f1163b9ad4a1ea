import { sql, type AliasedRawBuilder, type Kysely } from "kysely";
import { toUsd, type MicroUsd } from "../../core/index.ts";
import type { StateTable, TraceTables } from "./schema.ts";
import { stateConditions } from "./state-conditions.ts";
import type { StateQuery } from "./state-query.ts";
import type { StateTotals } from "./trace-index.ts";

/** Sums over the states that fit. Money is summed in whole micro-dollars, so the sum is exact. */
export async function sumStates(db: Kysely<TraceTables>, query: StateQuery): Promise<StateTotals> {
  const { costMicroUsd, ...totals } = await selectTotals(db, query).executeTakeFirstOrThrow();
  return { ...totals, costUsd: toUsd(costMicroUsd as MicroUsd) };
}

/** The query behind the sums. */
export function selectTotals(db: Kysely<TraceTables>, query: StateQuery) {
  const sum = <Column extends keyof StateTable>(column: Column): AliasedRawBuilder<number, Column> =>
    sql<number>`coalesce(sum(${sql.ref(column)}), 0)`.as(column);
  return db
    .selectFrom("states")
    .select([
      sql<number>`count(*)`.as("states"),
      sql<number>`count(*) filter (where kind = 'turn')`.as("turns"),
      sum("costMicroUsd"),
      sum("inputTokens"),
      sum("outputTokens"),
      sum("cacheReadTokens"),
      sum("cacheWriteTokens"),
      sum("durationMs"),
    ])
    .where((states) => stateConditions(states, query));
}
