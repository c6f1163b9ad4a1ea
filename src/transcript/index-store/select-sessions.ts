import { sql, type RawBuilder, type Selectable, type SqlBool } from "kysely";
import { groupBy, SkeinError } from "../../core/internal.ts";
import type { FileRow, IndexDatabase, SessionTable } from "./schema.ts";
import { allOf, listOf, ofProject, SESSION_SUMS, toTotals, type UsageSums, when } from "./sql-parts.ts";
import type { IndexedFile, IndexedSession, IndexedToolUse, SessionPage, SessionQuery } from "./transcript-index.ts";

type SessionRow = Selectable<SessionTable>;

export async function selectSessions(db: IndexDatabase, query: SessionQuery): Promise<readonly IndexedSession[]> {
  // SQLite knows no offset without a limit; -1 is none.
  const { rows } = await sql<SessionRow>`
    select * from sessions where ${conditionsOf(query)}
    order by ${ORDERS[query.sort ?? "recent"]} desc, endedAtMs desc, id
    limit ${query.limit ?? -1} offset ${query.offset ?? 0}`.execute(db);
  return withFiles(db, rows);
}

export async function sumSessions(db: IndexDatabase, query: SessionQuery): Promise<SessionPage["totals"]> {
  const { rows } = await sql<UsageSums & { readonly sessions: number }>`
    select ${SESSION_SUMS}, count(*) as sessions from sessions where ${conditionsOf(query)}`.execute(db);
  const [{ sessions, ...sums }] = rows as [UsageSums & { readonly sessions: number }];
  return { ...toTotals(sums), sessions };
}

/** The session with an id, or with the only one that begins so. */
export async function findSession(db: IndexDatabase, id: string): Promise<IndexedSession> {
  const { rows } = await sql<SessionRow & { readonly isExact: number }>`
    select *, exists (select 1 from json_each(sessionIds) where value = ${id}) as isExact from sessions
    where exists (select 1 from json_each(sessionIds) where substr(value, 1, length(${id})) = ${id})
    order by isExact desc, id limit 6`.execute(db);
  const exact = rows.filter(({ isExact }) => isExact === 1);
  const found = exact.length > 0 ? exact : id === "" ? [] : rows;
  const [session] = await withFiles(db, found.slice(0, 1));
  if (session === undefined || found.length > 1) throw notOne(id, found);
  return session;
}

function notOne(id: string, found: readonly SessionRow[]): SkeinError {
  const isAmbiguous = found.length > 1;
  return new SkeinError(isAmbiguous ? `Several session ids start with ${id}` : `There is no session ${id}`, {
    kind: isAmbiguous ? "usage" : "session_not_found",
    target: id,
    hint: isAmbiguous
      ? `Give more of the id: ${found.map((session) => session.id).join(", ")}`
      : "See the list of sessions; a brand-new one appears after a refresh",
  });
}

const ORDERS: Readonly<Record<NonNullable<SessionQuery["sort"]>, RawBuilder<unknown>>> = {
  recent: sql`endedAtMs`,
  started: sql`startedAtMs`,
  cost: sql`costUsd + offlineCostUsd`,
  tokens: sql`inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens`,
  messages: sql`messages`,
  duration: sql`endedAtMs - startedAtMs`,
};

function conditionsOf({ project, sinceMs, untilMs, model, tool, minCostUsd }: SessionQuery): RawBuilder<SqlBool> {
  return allOf([
    ofProject(project),
    when(sinceMs, (ms) => sql`sessions.endedAtMs >= ${ms}`),
    when(untilMs, (ms) => sql`sessions.startedAtMs < ${ms}`),
    when(model?.toLowerCase(), (part) => {
      return sql`exists (select 1 from json_each(sessions.models) where instr(lower(value), ${part}))`;
    }),
    when(tool, (name) => sql`exists (select 1 from json_each(sessions.tools) where value ->> 'tool' = ${name})`),
    when(minCostUsd, (usd) => sql`sessions.costUsd + sessions.offlineCostUsd >= ${usd}`),
  ]);
}

async function withFiles(db: IndexDatabase, rows: readonly SessionRow[]): Promise<readonly IndexedSession[]> {
  const ids = listOf(rows.map(({ id }) => id));
  const files = await db.selectFrom("files").selectAll().where("logicalId", "in", ids).orderBy("path").execute();
  const byId = groupBy(files, ({ logicalId }) => logicalId ?? "");
  return rows.map((row) => toSession(row, byId.get(row.id) ?? []));
}

function toSession(row: SessionRow, files: readonly FileRow[]): IndexedSession {
  const sessionIds = JSON.parse(row.sessionIds) as string[];
  return {
    id: row.id,
    sessionIds,
    project: row.project ?? undefined,
    title: row.title ?? undefined,
    firstPrompt: row.firstPrompt ?? undefined,
    startedAtMs: row.startedAtMs ?? undefined,
    endedAtMs: row.endedAtMs ?? undefined,
    durationMs: (row.endedAtMs ?? 0) - (row.startedAtMs ?? 0),
    prompts: row.prompts,
    messages: row.messages,
    subagents: row.subagents,
    toolCalls: row.toolCalls,
    toolErrors: row.toolErrors,
    tools: JSON.parse(row.tools) as IndexedToolUse[],
    models: JSON.parse(row.models) as string[],
    versions: JSON.parse(row.versions) as string[],
    sizeBytes: row.sizeBytes,
    isPurged: row.isPurged === 1,
    files: files.map(toFile).toSorted((left, right) => placeOf(left, sessionIds) - placeOf(right, sessionIds)),
    usage: toTotals(row),
  };
}

/** The sessions' own files in the order of their ids, which is that of their age, then those of sub-agents. */
function placeOf({ isSubagent, sessionId }: IndexedFile, sessionIds: readonly string[]): number {
  return isSubagent ? sessionIds.length : sessionIds.indexOf(sessionId);
}

function toFile(row: FileRow): IndexedFile {
  return {
    path: row.path,
    sessionId: row.sessionId ?? "",
    isSubagent: row.isSubagent === 1,
    sizeBytes: row.sizeBytes,
    modifiedAtMs: row.modifiedAtNs === "" ? 0 : Number(BigInt(row.modifiedAtNs) / 1_000_000n),
    isPurged: row.isPurged === 1,
    isKept: row.offset > 0 && row.keptRawBytes >= row.offset,
  };
}
