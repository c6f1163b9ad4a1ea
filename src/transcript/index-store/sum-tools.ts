import { sql, type Kysely } from "kysely";
import type { TranscriptTables } from "./schema.ts";
import { allOf, ofProject } from "./session-conditions.ts";
import type { StatsOptions, StatsRow } from "./stats-options.ts";
import { SHARED_SUMS, toTotals, type UsageSums } from "./usage-sums.ts";

interface ToolSums extends UsageSums {
  readonly name: string;
  readonly calls: number;
  readonly errors: number;
  readonly unanswered: number;
  readonly totalDurationMs: number | null;
  readonly averageDurationMs: number | null;
}

/** Adds up how each tool did, and its share of the answers that called it. */
export async function sumTools(db: Kysely<TranscriptTables>, options: StatsOptions): Promise<readonly StatsRow[]> {
  // An answer with an advisor has several rows of usage: a call is counted by the first.
  const first = sql`coalesce(usage.part, 0) = 0`;
  const duration = sql`max(0, calls.endedAtMs - calls.startedAtMs)`;
  const { rows } = await sql<ToolSums>`
    with calls as (
      select *, count(*) over (partition by coalesce(messageId, id)) as count,
        row_number() over (partition by coalesce(messageId, id) order by position) - 1 as place
      from toolCalls where isCopy = 0
    )
    select name, count(*) filter (where ${first}) as calls,
      count(*) filter (where ${first} and isError = 1) as errors,
      count(*) filter (where ${first} and isError is null) as unanswered,
      sum(${duration}) filter (where ${first}) as totalDurationMs,
      avg(${duration}) filter (where ${first}) as averageDurationMs, ${SHARED_SUMS}
    from calls join files on files.row = calls.fileRow left join sessions on sessions.id = files.logicalId
      left join usage on usage.messageId = calls.messageId and usage.isCopy = 0
    where ${conditionsOf(options)} group by name`.execute(db);
  return rows.map(({ name, calls, errors, unanswered, totalDurationMs, averageDurationMs, ...sums }) => ({
    key: name,
    label: undefined,
    tool: {
      calls,
      errors,
      unanswered,
      totalDurationMs: totalDurationMs ?? 0,
      averageDurationMs: averageDurationMs ?? undefined,
    },
    ...toTotals(sums),
  }));
}

function conditionsOf({ project, session, model, sinceMs, untilMs }: StatsOptions) {
  return allOf([
    project === undefined ? undefined : ofProject(project),
    session === undefined ? undefined : sql`sessions.id = ${session}`,
    model === undefined ? undefined : sql`instr(lower(usage.model), ${model.toLowerCase()})`,
    sinceMs === undefined ? undefined : sql`calls.startedAtMs >= ${sinceMs}`,
    untilMs === undefined ? undefined : sql`calls.startedAtMs < ${untilMs}`,
  ]);
}
