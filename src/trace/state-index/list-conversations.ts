import { sql, type Kysely } from "kysely";
import { toUsd, type MicroUsd } from "../../core/index.ts";
import type { Outcome } from "../transition-file.ts";
import type { TraceTables } from "./schema.ts";
import type { ConversationSummary } from "./trace-index.ts";

/** One page of the conversations, the one changed last first. */
export async function listConversations(
  db: Kysely<TraceTables>,
  { limit = -1, offset = 0 }: { readonly limit?: number; readonly offset?: number },
): Promise<readonly ConversationSummary[]> {
  const { rows } = await sql<ConversationRow>`
    with page as (
      select conversationId as id, count(*) filter (where kind = 'turn') as turns, sum(costMicroUsd) as costMicroUsd,
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
  return rows.map(({ costMicroUsd, firstPrompt, lastOutcome, ...summary }) => ({
    ...summary,
    firstPrompt: firstPrompt ?? "",
    costUsd: toUsd(costMicroUsd as MicroUsd),
    ...(lastOutcome === null ? {} : { lastOutcome }),
  }));
}

interface ConversationRow {
  readonly id: string;
  readonly turns: number;
  readonly costMicroUsd: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly firstPrompt: string | null;
  readonly lastOutcome: Outcome | null;
}
