import { sql, type Kysely } from "kysely";
import { toUsd, type MicroUsd } from "../../core/internal.ts";
import type { Outcome } from "../record/transition-file.ts";
import type { TraceTables } from "./schema.ts";
import type { ConversationSummary } from "./state-index.ts";

/** The conversations, the one changed last first. With a plus the index of kinds is not taken: it would go through all turns for each of them. */
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
        select row from states where conversationId = page.id and +kind = 'turn' order by recordedAtMs, depth, states.id limit 1
      )) as firstPrompt,
      (
        select outcome from states where conversationId = page.id and +kind = 'turn'
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
