import { sql, type Expression, type ExpressionBuilder, type SqlBool } from "kysely";
import { microUsd } from "../../core/index.ts";
import { fullTextQuery } from "../../database/index.ts";
import type { TraceTables } from "./schema.ts";
import type { StateQuery } from "./state-query.ts";

type States = ExpressionBuilder<TraceTables, "states">;
type Condition = Expression<SqlBool>;

/** What a row of `states` must fulfil to fit a query. */
export function stateConditions(states: States, query: StateQuery): Condition {
  const { conversationId, parentId, kind, since, until, minCostUsd, maxCostUsd, outcome } = query;
  const given: (Condition | undefined)[] = [
    conversationId === undefined ? undefined : states("conversationId", "=", conversationId),
    parentId === undefined ? undefined : states("parentId", "=", parentId),
    kind === undefined ? undefined : states("kind", "=", kind),
    since === undefined ? undefined : states("recordedAtMs", ">=", since),
    until === undefined ? undefined : states("recordedAtMs", "<", until),
    minCostUsd === undefined ? undefined : states("costMicroUsd", ">=", microUsd(minCostUsd)),
    maxCostUsd === undefined ? undefined : states("costMicroUsd", "<=", microUsd(maxCostUsd)),
    outcome === undefined ? undefined : states("outcome", "=", outcome),
    endedInError(states, query.isError),
    usedTool(states, query.tool),
    hasReward(states, query.reward),
    hasWords(query.text),
  ];
  return states.and(given.filter((condition) => condition !== undefined));
}

function endedInError(states: States, isError: boolean | undefined): Condition | undefined {
  if (isError === undefined) return undefined;
  return states("outcome", "in", isError ? ["failed", "interrupted"] : ["completed", "cancelled"]);
}

function usedTool(states: States, tool: string | undefined): Condition | undefined {
  if (tool === undefined) return undefined;
  return states("row", "in", states.selectFrom("toolUses").select("stateRow").where("tool", "=", tool));
}

function hasReward(states: States, reward: StateQuery["reward"]): Condition | undefined {
  if (reward === undefined) return undefined;
  const { name, min = -Infinity, max = Infinity } = reward;
  const fitting = states
    .selectFrom("rewardValues")
    .select("stateRow")
    .where("name", "=", name)
    .where("value", ">=", min)
    .where("value", "<=", max);
  return states("row", "in", fitting);
}

/** A text of nothing but signs has no word that could occur: it fits no state; an empty one asks for nothing. */
function hasWords(text: string | undefined): Condition | undefined {
  if (text === undefined || text.trim() === "") return undefined;
  const words = fullTextQuery(text);
  if (words === undefined) return sql<SqlBool>`false`;
  return sql<SqlBool>`states.row in (select rowid from bodyWords where bodyWords match ${words})`;
}
