import { sql, type Kysely } from "kysely";
import { toUsd, type MicroUsd } from "../../core/internal.ts";
import type { TraceTables } from "./schema.ts";
import type { SearchSummary } from "./state-index.ts";

/** The searches of which turns are recorded, the one that recorded a turn last first. */
export async function listSearches(
  db: Kysely<TraceTables>,
  { limit = -1, offset = 0 }: { readonly limit?: number; readonly offset?: number },
): Promise<readonly SearchSummary[]> {
  const { rows } = await selectSearches({ limit, offset }).execute(db);
  return rows.map(({ paidMicroUsd, offlineMicroUsd, firstPrompt, bestReward, bestStateId, ...summary }) => ({
    ...summary,
    firstPrompt: firstPrompt ?? "",
    costUsd: toUsd(paidMicroUsd as MicroUsd),
    offlineCostUsd: toUsd(offlineMicroUsd as MicroUsd),
    ...(Number.isFinite(bestReward) && { best: { reward: bestReward, stateId: bestStateId } }),
  }));
}

/** The statement, to be run or to be explained: all searches are summed up from one index, and what is told of one besides is read for the page alone. */
export function selectSearches({ limit, offset }: { readonly limit: number; readonly offset: number }) {
  return sql<SearchRow>`
    with page as (
      select searchId as id, count(*) as turns,
        count(*) filter (where outcome in ('failed', 'interrupted')) as failed,
        coalesce(sum(costMicroUsd) filter (where scenario is null), 0) as paidMicroUsd,
        coalesce(sum(costMicroUsd) filter (where scenario is not null), 0) as offlineMicroUsd,
        max(bestReward) as bestReward, min(recordedAtMs) as createdAtMs, max(recordedAtMs) as updatedAtMs
      from states where searchId is not null group by searchId order by updatedAtMs desc, id limit ${limit} offset ${offset}
    )
    select page.*,
      (select prompt from bodies where stateRow = (
        select row from states where searchId = page.id order by recordedAtMs, depth, states.id limit 1
      )) as firstPrompt,
      (
        select states.id from states where searchId = page.id
        order by bestReward desc, recordedAtMs, depth, states.id limit 1
      ) as bestStateId
    from page order by updatedAtMs desc, id`;
}

type SearchRow = Pick<SearchSummary, "id" | "turns" | "failed" | "createdAtMs" | "updatedAtMs"> & {
  readonly paidMicroUsd: number;
  readonly offlineMicroUsd: number;
  readonly firstPrompt: string | null;
  readonly bestReward: number;
  readonly bestStateId: string;
};
