import {
  expressionBuilder,
  sql,
  type AliasedRawBuilder,
  type Expression,
  type ExpressionBuilder,
  type Kysely,
  type RawBuilder,
  type SelectQueryBuilder,
  type SqlBool,
} from "kysely";
import { defined, microUsd, toUsd, type MicroUsd } from "../../core/internal.ts";
import { fullTextQuery } from "../../database/index.ts";
import type { StateTable, TraceTables } from "./schema.ts";
import { afterPlace, comparePlace, inOrder, placeColumns, throughPlace } from "./state-order.ts";
import type { StatePlace, StateQuery, StateTotals } from "./state-index.ts";
import type { StateRow } from "./state-rows.ts";

type Rows = SelectQueryBuilder<TraceTables, "states", StateRow>;

/** How many states are looked at one by one, for each that the page needs, before all that fit are gathered; and how many at most. */
const LOOKED_AT = { forEach: 40, most: 100_000 };

/** A word is looked up in an index of its own, which takes twenty times as long. */
const LOOKED_AT_FOR_WORDS = { forEach: 5, most: 1000 };

/**
 * The states that fit. Gathering all that have a tool, a reward or a word costs by their number, however short the page is: where most states have it, the
 * first in order fill the page. Where they do not, few have it, and gathering them costs little.
 */
export async function listStates(db: Kysely<TraceTables>, query: StateQuery): Promise<readonly StateRow[]> {
  const { limit } = query;
  if (limit !== undefined && fitsAmongFirst(query)) {
    const first = await selectAmongFirst(db, { ...query, limit }).execute();
    if (first.length === limit) return first;
  }
  return await selectStates(db, query).execute();
}

/** Where they are in the order, and nothing else of them. */
export async function listPlaces(db: Kysely<TraceTables>, query: StateQuery): Promise<readonly StatePlace[]> {
  const { limit } = query;
  if (limit !== undefined && fitsAmongFirst(query)) {
    const among = inOrder(fittingAmongFirst(db, { ...query, limit }), query).select(placeColumns(query));
    const first = await among
      .limit(limit)
      .offset(query.offset ?? 0)
      .execute();
    if (first.length === limit) return first;
  }
  if (byNamedReward(query)) {
    const found = sql<StatePlace>`select value, recordedAtMs, depth, id from ${rewardedPlaces(query)}`;
    return (await found.execute(db)).rows;
  }
  return await selectPlaces(db, query).execute();
}

/** The statement of `listPlaces`, to be run or to be explained: what is passed over is read from an index alone, where it goes by that. */
export function selectPlaces(db: Kysely<TraceTables>, query: StateQuery) {
  const fitting = db
    .selectFrom("states")
    .select(placeColumns(query))
    .where((states) => stateConditions(states, query));
  return inOrder(fitting, query)
    .limit(query.limit ?? -1)
    .offset(query.offset ?? 0);
}

export async function countStates(db: Kysely<TraceTables>, query: StateQuery): Promise<number> {
  if (byNamedReward(query)) {
    const { rows } = await sql<{
      readonly count: number;
    }>`select count(*) as count from ${rewardedPlaces(query)}`.execute(db);
    return rows[0]?.count ?? 0;
  }
  const counted = db
    .selectFrom("states")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where((states) => stateConditions(states, query));
  return (await counted.executeTakeFirstOrThrow()).count;
}

function fitsAmongFirst(query: StateQuery): boolean {
  const { tool, reward, text } = query;
  return !byNamedReward(query) && (tool !== undefined || reward !== undefined || text !== undefined);
}

/** The same page among the first states in order: whole where they fill it. */
export function selectAmongFirst(db: Kysely<TraceTables>, query: StateQuery & { readonly limit: number }): Rows {
  // Their rows alone first: a prompt and a response are read of those that are shown.
  const page = inOrder(fittingAmongFirst(db, query), query).select("states.row");
  const rows = page.limit(query.limit).offset(query.offset ?? 0);
  return inOrder(selectRows(db).where("states.row", "in", rows), query);
}

function fittingAmongFirst(db: Kysely<TraceTables>, query: StateQuery & { readonly limit: number }) {
  const { limit, offset = 0, text, since, until, kind, order, after, through } = query;
  const { forEach, most } = text === undefined ? LOOKED_AT : LOOKED_AT_FOR_WORDS;
  const part = defined({ since, until, kind, order, after, through });
  const first = inOrder(
    db.selectFrom("states").where((states) => stateConditions(states, part)),
    query,
  )
    .selectAll()
    .limit(Math.min((limit + offset) * forEach, most))
    .as("states");
  return db.selectFrom(first).where((states) => stateConditions(states, query, true));
}

export function selectStates(db: Kysely<TraceTables>, query: StateQuery): Rows {
  if (byNamedReward(query)) {
    const page = sql<number>`(select row from ${rewardedPlaces(query)})`;
    return inOrder(selectRows(db).where("states.row", "in", page), query);
  }
  const fitting = selectRows(db).where((states) => stateConditions(states, query));
  // SQLite knows no offset without a limit; -1 is none.
  return inOrder(fitting, query)
    .limit(query.limit ?? -1)
    .offset(query.offset ?? 0);
}

type ByNamedReward = StateQuery & { readonly reward: NonNullable<StateQuery["reward"]> & { readonly name: string } };

function byNamedReward(query: StateQuery): query is ByNamedReward {
  return query.order === "reward" && query.reward?.name !== undefined;
}

const PLACE = sql`(value, rewardedAtMs, depth, id)`;

/** Reads the index of a name's rewards from its end, so that only those of one value and moment are sorted. */
function rewardedPlaces({ reward, limit = -1, offset = 0, after, through, ...query }: ByNamedReward) {
  const { name, min = -Infinity, max = Infinity } = reward;
  const bounds = {
    least: Math.max(min, through?.value ?? -Infinity, -Number.MAX_VALUE),
    most: Math.min(max, after?.value ?? Infinity),
  };
  const fits = stateConditions(expressionBuilder<TraceTables, "states">(), query);
  return sql`(
    select row, value, rewardedAtMs as recordedAtMs, depth, id from (
      select stateRow, value, recordedAtMs as rewardedAtMs from rewardValues
      where name = ${name} and value >= ${bounds.least} and value <= ${bounds.most}
    ) cross join states on states.row = stateRow
    where ${fits}
      ${after ? sql`and ${comparePlace(PLACE, sql`<`, after)}` : sql``}
      ${through ? sql`and ${comparePlace(PLACE, sql`>=`, through)}` : sql``}
    order by value desc, rewardedAtMs desc, depth desc, id desc limit ${limit} offset ${offset}
  )`;
}

export function selectRows(db: Kysely<TraceTables>): Rows {
  const body = (column: string): RawBuilder<string | null> =>
    sql`(select ${sql.ref(column)} from bodies where stateRow = states.row)`;
  return db
    .selectFrom("states")
    .selectAll("states")
    .select([body("prompt").as("prompt"), body("response").as("response")]);
}

type States = ExpressionBuilder<TraceTables, "states">;
type Condition = Expression<SqlBool>;

/** What a query asks for; `isEach` looks it up for each state instead of gathering all that fit. */
function stateConditions(states: States, query: StateQuery, isEach = false): Condition {
  const { conversationId, parentId, since, until, minCostUsd, maxCostUsd, outcome, isError, tool, reward } = query;
  const { ids, without, after, through, model, searchId, bookmark } = query;
  const isAmong = ({ row, fitting }: Gathered): Condition =>
    isEach
      ? sql<SqlBool>`exists (select 1 ${fitting} and ${sql.ref(row)} = states.row)`
      : sql<SqlBool>`states.row in (select ${sql.ref(row)} ${fitting})`;
  const given = [
    ids !== undefined && sql<SqlBool>`id in (select value from json_each(${JSON.stringify(ids)}))`,
    without !== undefined && sql<SqlBool>`+id not in (select value from json_each(${JSON.stringify(without)}))`,
    after !== undefined && afterPlace(after, query),
    through !== undefined && throughPlace(through, query),
    conversationId !== undefined && states("conversationId", "=", conversationId),
    parentId !== undefined && states("parentId", "=", parentId),
    isOfKind(states, query, isEach),
    since !== undefined && states("recordedAtMs", ">=", since),
    until !== undefined && states("recordedAtMs", "<", until),
    minCostUsd !== undefined && states("costMicroUsd", ">=", microUsd(minCostUsd)),
    maxCostUsd !== undefined && states("costMicroUsd", "<=", microUsd(maxCostUsd)),
    outcome !== undefined && states("outcome", "=", outcome),
    isError !== undefined && states("outcome", "in", isError ? ["failed", "interrupted"] : ["completed", "cancelled"]),
    tool !== undefined && isAmong({ row: "stateRow", fitting: sql`from toolUses where tool = ${tool}` }),
    model !== undefined && sql<SqlBool>`+model = ${model}`,
    searchId !== undefined && states("searchId", "=", searchId),
    bookmark !== undefined &&
      (bookmark === "" ? states("bookmark", "is not", null) : states("bookmark", "=", bookmark)),
    ...rewardConditions(reward, (gathered) => isAmong(gathered), isEach),
    hasWords(query.text, isAmong),
  ];
  return states.and(given.filter((condition) => condition !== false));
}

/** SQLite knows nothing of how many states there are of a kind: with a sign, the index of what there is less of is left for it to choose. */
function isOfKind(states: States, query: StateQuery, isEach: boolean): Condition | false {
  const { kind, conversationId, parentId, ids, outcome, isError, searchId, bookmark, tool, reward, text } = query;
  if (kind === undefined) return false;
  const narrower = [conversationId, parentId, ids, outcome, isError, searchId, bookmark];
  const gathered = isEach ? [] : [tool, reward?.name, text?.trim() || undefined];
  const isFoundOtherwise = [...narrower, ...gathered].some((given) => given !== undefined);
  return isFoundOtherwise ? sql<SqlBool>`+kind = ${kind}` : states("kind", "=", kind);
}

/** What names the states that fit from outside of their table. */
interface Gathered {
  readonly row: "stateRow" | "rowid";
  readonly fitting: RawBuilder<unknown>;
}

function rewardConditions(
  reward: StateQuery["reward"],
  isAmong: (gathered: Gathered) => Condition,
  isEach: boolean,
): readonly Condition[] {
  if (reward === undefined) return [];
  const { name, min = -Infinity, max = Infinity } = reward;
  if (name !== undefined) return [isAmong(withReward({ name, min, max }, isEach))];
  // One without a reward has minus infinity.
  return [sql<SqlBool>`+bestReward >= ${Math.max(min, -Number.MAX_VALUE)} and +bestReward <= ${max}`];
}

function withReward(
  { name, min, max }: { readonly name: string; readonly min: number; readonly max: number },
  isEach: boolean,
): Gathered {
  // With its sign, a column is not searched by: of one state, its rewards are.
  const value = isEach ? sql`+value` : sql`value`;
  const fitting = sql`from rewardValues where name = ${name} and ${value} >= ${min} and ${value} <= ${max}`;
  return { row: "stateRow", fitting };
}

/** A text of nothing but signs has no word that could occur: it fits no state; an empty one asks for nothing. */
function hasWords(text: string | undefined, isAmong: (gathered: Gathered) => Condition): Condition | false {
  if (!text?.trim()) return false;
  const words = fullTextQuery(text);
  if (words === undefined) return sql<SqlBool>`false`;
  return isAmong({ row: "rowid", fitting: sql`from bodyWords where bodyWords match ${words}` });
}

/** Sums over the states that fit. Money is summed in whole micro-dollars, so the sum is exact. */
export async function sumStates(db: Kysely<TraceTables>, query: StateQuery): Promise<StateTotals> {
  const { paidMicroUsd, offlineMicroUsd, ...totals } = await selectTotals(db, query).executeTakeFirstOrThrow();
  return { ...totals, costUsd: toUsd(paidMicroUsd as MicroUsd), offlineCostUsd: toUsd(offlineMicroUsd as MicroUsd) };
}

export function selectTotals(db: Kysely<TraceTables>, query: StateQuery) {
  const sum = <Column extends keyof StateTable>(column: Column): AliasedRawBuilder<number, Column> =>
    sql<number>`coalesce(sum(${sql.ref(column)}), 0)`.as(column);
  return db
    .selectFrom("states")
    .select([
      sql<number>`count(*)`.as("states"),
      sql<number>`count(*) filter (where kind = 'turn')`.as("turns"),
      sql<number>`coalesce(sum(costMicroUsd) filter (where scenario is null), 0)`.as("paidMicroUsd"),
      sql<number>`coalesce(sum(costMicroUsd) filter (where scenario is not null), 0)`.as("offlineMicroUsd"),
      sum("inputTokens"),
      sum("outputTokens"),
      sum("cacheReadTokens"),
      sum("cacheWriteTokens"),
      sum("durationMs"),
    ])
    .where((states) => stateConditions(states, query));
}
