import { sql, type Expression, type RawBuilder, type SelectQueryBuilder, type SqlBool } from "kysely";
import type { TraceTables } from "./schema.ts";
import type { StatePlace, StateQuery } from "./state-index.ts";

type Order = Pick<StateQuery, "order" | "reward">;

/** States of the same moment follow each other as on their path. */
export function inOrder<Row>(
  rows: SelectQueryBuilder<TraceTables, "states", Row>,
  query: Order,
): SelectQueryBuilder<TraceTables, "states", Row> {
  if (query.order === "oldest") return rows.orderBy("recordedAtMs").orderBy("depth").orderBy("id");
  const value = valueOf(query);
  const first = value ? rows.orderBy(value, "desc") : rows;
  return first.orderBy("recordedAtMs", "desc").orderBy("depth", "desc").orderBy("id", "desc");
}

/** What the order goes by before time; undefined where it goes by time alone. */
function valueOf({ order = "newest", reward }: Order): RawBuilder<number> | undefined {
  switch (order) {
    case "newest":
    case "oldest":
      return undefined;
    case "cost":
      return sql`costMicroUsd`;
    case "duration":
      return sql`durationMs`;
    case "reward": {
      const name = reward?.name;
      if (name === undefined) return sql`bestReward`;
      return sql`(select value from rewardValues where stateRow = states.row and name = ${name})`;
    }
    default:
      return order satisfies never;
  }
}

/** The columns of a `StatePlace`. */
export function placeColumns(query: Order) {
  const value = (valueOf(query) ?? sql<number>`0`).as("value");
  return [value, "states.recordedAtMs", "states.depth", "states.id"] as const;
}

/** Whether a state comes after a place. */
export function afterPlace(place: StatePlace, query: Order): Expression<SqlBool> {
  return compare(place, query, query.order === "oldest" ? sql`>` : sql`<`);
}

/** Whether a state comes before a place, or is at it. */
export function throughPlace(place: StatePlace, query: Order): Expression<SqlBool> {
  return compare(place, query, query.order === "oldest" ? sql`<=` : sql`>=`);
}

/** Which of two places comes first; what their lists are sorted by, text by its bytes as SQLite does. */
export function compareIn({ order }: Order, left: StatePlace, right: StatePlace): number {
  const sign = order === "oldest" ? 1 : -1;
  const isLess =
    left.value - right.value ||
    left.recordedAtMs - right.recordedAtMs ||
    left.depth - right.depth ||
    compareIds(left, right);
  return sign * isLess;
}

function compareIds(left: StatePlace, right: StatePlace): number {
  return left.id < right.id ? -1 : left.id > right.id ? 1 : 0;
}

/** As a whole, so that an index in the same order is searched by all of its columns. */
function compare(place: StatePlace, query: Order, sign: RawBuilder<unknown>): Expression<SqlBool> {
  const first = valueOf(query);
  if (first) return comparePlace(sql`(${first}, recordedAtMs, depth, id)`, sign, place);
  const { recordedAtMs, depth, id } = place;
  return sql<SqlBool>`(recordedAtMs, depth, id) ${sign} (${recordedAtMs}, ${depth}, ${id})`;
}

/** The same of columns that are named otherwise. */
export function comparePlace(
  columns: RawBuilder<unknown>,
  sign: RawBuilder<unknown>,
  { value, recordedAtMs, depth, id }: StatePlace,
): Expression<SqlBool> {
  return sql<SqlBool>`${columns} ${sign} (${value}, ${recordedAtMs}, ${depth}, ${id})`;
}
