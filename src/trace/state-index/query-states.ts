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
import type { Outcome } from "../record/transition-file.ts";
import type { StateTable, TraceTables } from "./schema.ts";
import type { ConversationSummary, StateQuery, StateTotals } from "./state-index.ts";
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
  const { limit, reward } = query;
  const isGathered = query.tool !== undefined || reward !== undefined || query.text !== undefined;
  if (limit !== undefined && !byNamedReward(query) && isGathered) {
    const first = await selectAmongFirst(db, { ...query, limit }).execute();
    if (first.length === limit) return first;
  }
  return await selectStates(db, query).execute();
}

/** The same page among the first states in order: whole where they fill it. */
export function selectAmongFirst(db: Kysely<TraceTables>, query: StateQuery & { readonly limit: number }): Rows {
  const { limit, offset = 0, text, since, until } = query;
  const { forEach, most } = text === undefined ? LOOKED_AT : LOOKED_AT_FOR_WORDS;
  const ofTime = db.selectFrom("states").where((states) => stateConditions(states, defined({ since, until })));
  const first = inOrder(ofTime, query)
    .selectAll()
    .limit(Math.min((limit + offset) * forEach, most))
    .as("states");
  // Their rows alone first: a prompt and a response are read of those that are shown.
  const fitting = db.selectFrom(first).where((states) => stateConditions(states, query, true));
  const page = inOrder(fitting, query).select("states.row").limit(limit).offset(offset);
  return inOrder(selectRows(db).where("states.row", "in", page), query);
}

export function selectStates(db: Kysely<TraceTables>, query: StateQuery): Rows {
  if (byNamedReward(query)) return selectByReward(db, query);
  const fitting = selectRows(db).where((states) => stateConditions(states, query));
  // SQLite knows no offset without a limit; -1 is none.
  return inOrder(fitting, query)
    .limit(query.limit ?? -1)
    .offset(query.offset ?? 0);
}

type ByNamedReward = StateQuery & { readonly reward: NonNullable<StateQuery["reward"]> };

function byNamedReward(query: StateQuery): query is ByNamedReward {
  return query.order === "reward" && query.reward !== undefined;
}

/** Reads the index of a name's rewards from its end, so that only those of one value and moment are sorted. */
function selectByReward(db: Kysely<TraceTables>, { reward, limit = -1, offset = 0, ...query }: ByNamedReward): Rows {
  const fits = stateConditions(expressionBuilder<TraceTables, "states">(), query);
  const page = sql<number>`(
    select states.row from (
      select stateRow, value, recordedAtMs as rewardedAtMs from rewardValues
      where name = ${reward.name} and value >= ${reward.min ?? -Infinity} and value <= ${reward.max ?? Infinity}
    ) cross join states on states.row = stateRow
    where ${fits}
    order by value desc, rewardedAtMs desc, depth desc, id desc limit ${limit} offset ${offset}
  )`;
  return inOrder(selectRows(db).where("states.row", "in", page), { order: "reward", reward });
}

export function selectRows(db: Kysely<TraceTables>): Rows {
  const body = (column: string): RawBuilder<string | null> =>
    sql`(select ${sql.ref(column)} from bodies where stateRow = states.row)`;
  return db
    .selectFrom("states")
    .selectAll("states")
    .select([body("prompt").as("prompt"), body("response").as("response")]);
}

/** States of the same moment follow each other as on their path. */
function inOrder<Row>(
  rows: SelectQueryBuilder<TraceTables, "states", Row>,
  { order = "newest", reward }: StateQuery,
): SelectQueryBuilder<TraceTables, "states", Row> {
  if (order === "oldest") return rows.orderBy("recordedAtMs").orderBy("depth").orderBy("id");
  let first = rows;
  if (order === "cost") first = rows.orderBy("costMicroUsd", "desc");
  // A state without a reward has none to compare and comes last.
  if (order === "reward") first = rows.orderBy(reward === undefined ? "bestReward" : rewardOf(reward.name), "desc");
  return first.orderBy("recordedAtMs", "desc").orderBy("depth", "desc").orderBy("id", "desc");
}

function rewardOf(name: string): RawBuilder<number | null> {
  return sql`(select value from rewardValues where stateRow = states.row and name = ${name})`;
}

type States = ExpressionBuilder<TraceTables, "states">;
type Condition = Expression<SqlBool>;

/** What a query asks for; `isEach` looks it up for each state instead of gathering all that fit. */
function stateConditions(states: States, query: StateQuery, isEach = false): Condition {
  const { conversationId, parentId, kind, since, until, minCostUsd, maxCostUsd, outcome, isError, tool, reward } =
    query;
  const isAmong = ({ row, fitting }: Gathered): Condition =>
    isEach
      ? sql<SqlBool>`exists (select 1 ${fitting} and ${sql.ref(row)} = states.row)`
      : sql<SqlBool>`states.row in (select ${sql.ref(row)} ${fitting})`;
  const given = [
    query.ids !== undefined && sql<SqlBool>`id in (select value from json_each(${JSON.stringify(query.ids)}))`,
    conversationId !== undefined && states("conversationId", "=", conversationId),
    parentId !== undefined && states("parentId", "=", parentId),
    kind !== undefined && states("kind", "=", kind),
    since !== undefined && states("recordedAtMs", ">=", since),
    until !== undefined && states("recordedAtMs", "<", until),
    minCostUsd !== undefined && states("costMicroUsd", ">=", microUsd(minCostUsd)),
    maxCostUsd !== undefined && states("costMicroUsd", "<=", microUsd(maxCostUsd)),
    outcome !== undefined && states("outcome", "=", outcome),
    isError !== undefined && states("outcome", "in", isError ? ["failed", "interrupted"] : ["completed", "cancelled"]),
    tool !== undefined && isAmong({ row: "stateRow", fitting: sql`from toolUses where tool = ${tool}` }),
    reward !== undefined && isAmong(withReward(reward, isEach)),
    hasWords(query.text, isAmong),
  ];
  return states.and(given.filter((condition) => condition !== false));
}

/** What names the states that fit from outside of their table. */
interface Gathered {
  readonly row: "stateRow" | "rowid";
  readonly fitting: RawBuilder<unknown>;
}

function withReward(
  { name, min = -Infinity, max = Infinity }: NonNullable<StateQuery["reward"]>,
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

export async function listConversations(
  db: Kysely<TraceTables>,
  { limit = -1, offset = 0 }: { readonly limit?: number; readonly offset?: number },
): Promise<readonly ConversationSummary[]> {
  const { rows } = await sql<ConversationRow>`
    with page as (
      select conversationId as id, count(*) filter (where kind = 'turn') as turns,
        coalesce(sum(costMicroUsd) filter (where scenario is null), 0) as paidMicroUsd,
        coalesce(sum(costMicroUsd) filter (where scenario is not null), 0) as offlineMicroUsd,
        min(recordedAtMs) as createdAtMs, max(recordedAtMs) as updatedAtMs
      from states where kind <> 'unreadable' group by conversationId order by updatedAtMs desc, id limit ${limit} offset ${offset}
    )
    select page.*,
      (select prompt from bodies where stateRow = (
        select row from states where conversationId = page.id and kind = 'turn' order by recordedAtMs, depth, states.id limit 1
      )) as firstPrompt,
      (
        select outcome from states where conversationId = page.id and kind = 'turn'
        order by recordedAtMs desc, depth desc, states.id desc limit 1
      ) as lastOutcome
    from page order by updatedAtMs desc, id`.execute(db);
  return rows.map(({ paidMicroUsd, offlineMicroUsd, firstPrompt, lastOutcome, ...summary }) => ({
    ...summary,
    firstPrompt: firstPrompt ?? "",
    costUsd: toUsd(paidMicroUsd as MicroUsd),
    offlineCostUsd: toUsd(offlineMicroUsd as MicroUsd),
    ...(lastOutcome === null ? {} : { lastOutcome }),
  }));
}

type ConversationRow = Pick<ConversationSummary, "id" | "turns" | "createdAtMs" | "updatedAtMs"> & {
  readonly paidMicroUsd: number;
  readonly offlineMicroUsd: number;
  readonly firstPrompt: string | null;
  readonly lastOutcome: Outcome | null;
};
