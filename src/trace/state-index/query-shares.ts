import { sql, type Kysely } from "kysely";
import type { MicroUsd } from "../../core/internal.ts";
import type { AgentFigures } from "./agent-shares.ts";
import type { FiguresQuery } from "./figures.ts";
import { distinct } from "./query-figures.ts";
import type { TraceTables } from "./schema.ts";

type Index = Kysely<TraceTables>;

/** What each agent came to in each span; only where there is something. */
export async function readShares(db: Index, query: FiguresQuery): Promise<readonly AgentFigures[]> {
  const agents = await distinct(db, { table: "agentShares", column: "agent" });
  const { rows } = await shareStatement(query, agents).execute(db);
  return rows.flatMap(({ span, agent, found }) => {
    const [turns, all, offline, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens] = JSON.parse(
      found,
    ) as Sums;
    if (turns === 0) return [];
    const money = { paidMicroUsd: (all - (offline ?? 0)) as MicroUsd, offlineMicroUsd: (offline ?? 0) as MicroUsd };
    return { span, agent, turns, ...money, usage: { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } };
  });
}

type Sums = readonly [
  turns: number,
  all: number,
  offline: number | null,
  input: number,
  output: number,
  read: number,
  written: number,
];

/** The statement, to be run or to be explained. */
export function shareStatement({ spans, model, without = [] }: FiguresQuery, agents: readonly string[]) {
  const own =
    without.length === 0
      ? sql``
      : sql`and stateRow not in (
          select row from states where id in (select value from json_each(${JSON.stringify(without)})))`;
  return sql<{ readonly span: number; readonly agent: string; readonly found: string }>`
    with spans (span, sinceMs, untilMs) as materialized (
      select key, value ->> 0, value ->> 1 from json_each(${JSON.stringify(spans)})
    ), agents (agent) as materialized (select value from json_each(${JSON.stringify(agents)}))
    select span, agent, (
      select json_array(
        count(*), sum(costMicroUsd), sum(costMicroUsd) filter (where isOffline = 1),
        sum(inputTokens), sum(outputTokens), sum(cacheReadTokens), sum(cacheWriteTokens)
      ) from agentShares
      where agentShares.agent = agents.agent and recordedAtMs >= sinceMs and recordedAtMs < untilMs
        ${model === undefined ? sql`` : sql`and model = ${model}`} ${own}
    ) as found from spans cross join agents`;
}
