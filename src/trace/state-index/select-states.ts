import { sql, type Kysely, type RawBuilder, type SelectQueryBuilder } from "kysely";
import type { TraceTables } from "./schema.ts";
import { stateConditions } from "./state-conditions.ts";
import type { StateQuery } from "./state-query.ts";
import type { StateRow } from "./state-row.ts";

type Rows = SelectQueryBuilder<TraceTables, "states", StateRow>;

/** The query for the rows of the states that fit, in order, each with its body. */
export function selectStates(db: Kysely<TraceTables>, query: StateQuery): Rows {
  const fitting = selectRows(db).where((states) => stateConditions(states, query));
  // SQLite knows no offset without a limit; -1 is none.
  return inOrder(fitting, query)
    .limit(query.limit ?? -1)
    .offset(query.offset ?? 0);
}

/** The query for all states, each with its body. */
export function selectRows(db: Kysely<TraceTables>): Rows {
  const body = (column: string): RawBuilder<string | null> =>
    sql`(select ${sql.ref(column)} from bodies where stateRow = states.row)`;
  return db
    .selectFrom("states")
    .selectAll("states")
    .select([body("prompt").as("prompt"), body("response").as("response")]);
}

/** States of the same moment follow each other as on their path. */
function inOrder(rows: Rows, { order = "newest", reward }: StateQuery): Rows {
  switch (order) {
    case "oldest":
      return rows.orderBy("recordedAtMs").orderBy("depth").orderBy("id");
    case "newest":
      return newestFirst(rows);
    case "cost":
      return newestFirst(rows.orderBy("costMicroUsd", "desc"));
    case "reward":
      return newestFirst(rows.orderBy(rewardOf(reward?.name), "desc"));
  }
}

function newestFirst(rows: Rows): Rows {
  return rows.orderBy("recordedAtMs", "desc").orderBy("depth", "desc").orderBy("id", "desc");
}

/** A state without such a reward has none to compare and comes last. */
function rewardOf(name: string | undefined): RawBuilder<number | null> {
  const named = name === undefined ? sql`` : sql`and name = ${name}`;
  return sql`(select max(value) from rewardValues where stateRow = states.row ${named})`;
}
