import { sql, type RawBuilder } from "kysely";

/** Rows as one value of a query: a list of values would be another statement for each length, and has a longest one. */
export function rowList(rows: readonly number[]): RawBuilder<number> {
  return sql<number>`(select value from json_each(${JSON.stringify(rows)}))`;
}
