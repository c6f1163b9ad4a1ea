import { basename } from "node:path";
import { sql } from "kysely";
import type { FileRow, IndexDatabase, SessionTable } from "./schema.ts";
import { listOf, USAGE_SUMS, type UsageSums } from "./sql-parts.ts";
import type { IndexedToolUse } from "./transcript-index.ts";

/** Sums up the session that some files make. Runs inside the caller's transaction. */
export async function summarizeGroup(db: IndexDatabase, rows: readonly number[]): Promise<void> {
  const files = await oldestFirst(db, rows);
  const session = await summarize(db, files);
  await db.replaceInto("sessions").values(session).execute();
  await db.updateTable("files").set({ logicalId: session.id, isDirty: 0 }).where("row", "in", listOf(rows)).execute();
}

async function summarize(db: IndexDatabase, files: readonly FileRow[]): Promise<SessionTable> {
  const own = files.filter(({ isSubagent }) => isSubagent === 0);
  const [first] = own.length > 0 ? own : files;
  const id = first?.sessionId ?? basename(first?.path ?? "", ".jsonl");
  const project = [...own, ...files].find(({ cwd }) => cwd !== null)?.cwd ?? null;
  const rows = files.map(({ row }) => row);
  const tools = await sumTools(db, rows);
  return {
    id,
    sessionIds: JSON.stringify([...new Set([id, ...files.flatMap(idsOf)])]),
    project,
    projectName: project === null ? null : basename(project),
    folder: first?.folder ?? "",
    title: titleOf(own) ?? (await summaryOf(db, rows)),
    firstPrompt: own.find(({ firstPrompt }) => firstPrompt !== null)?.firstPrompt ?? null,
    ...(await sumMessages(db, rows)),
    subagents: files.length - own.length,
    toolCalls: tools.reduce((sum, { calls }) => sum + calls, 0),
    toolErrors: tools.reduce((sum, { errors }) => sum + errors, 0),
    tools: JSON.stringify(tools),
    versions: JSON.stringify([...new Set(files.flatMap(({ versions }) => JSON.parse(versions) as string[]))]),
    sizeBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    isPurged: (own.length > 0 ? own : files).every(({ isPurged }) => isPurged === 1) ? 1 : 0,
    ...(await sumUsage(db, rows)),
  };
}

/** A title that someone gave counts before one that the CLI made; of several files, the newest one's. */
function titleOf(files: readonly FileRow[]): string | null {
  const titled = files.filter(({ title }) => title !== null);
  return (titled.findLast(({ isTitleGiven }) => isTitleGiven === 1) ?? titled.at(-1))?.title ?? null;
}

/** Of the summaries of these files' records the one whose record came last; of two of one record, the later file's. */
async function summaryOf(db: IndexDatabase, rows: readonly number[]): Promise<string | null> {
  const { rows: found } = await sql<{ title: string }>`
    select summaries.title from messages join summaries on summaries.leafUuid = messages.uuid
      join files on files.row = summaries.fileRow
    where messages.fileRow in ${listOf(rows)} and messages.isSidechain = 0 and summaries.title <> ''
    order by messages.timestampMs desc, messages.uuid desc, files.path desc limit 1`.execute(db);
  return found[0]?.title ?? null;
}

function idsOf({ sessionId, sessionIds }: FileRow): readonly string[] {
  return [...(sessionId === null ? [] : [sessionId]), ...(JSON.parse(sessionIds) as string[])];
}

/** Copies keep the times of the original: only what a file has for itself tells when it began. A mere prefix is first. */
async function oldestFirst(db: IndexDatabase, rows: readonly number[]): Promise<readonly FileRow[]> {
  const files = await db.selectFrom("files").selectAll().where("row", "in", listOf(rows)).orderBy("path").execute();
  if (files.filter(({ isSubagent }) => isSubagent === 0).length < 2) return files;
  const { rows: starts } = await sql<{ fileRow: number; startMs: number | null }>`
    select fileRow, min(timestampMs) as startMs from messages as own
    where fileRow in ${listOf(rows)} and not exists (
      select 1 from messages as other where other.uuid = own.uuid and other.fileRow <> own.fileRow)
    group by fileRow`.execute(db);
  const startOf = new Map(starts.map(({ fileRow, startMs }) => [fileRow, startMs ?? 0]));
  return files.toSorted((left, right) => (startOf.get(left.row) ?? 0) - (startOf.get(right.row) ?? 0));
}

type MessageSums = Pick<SessionTable, "messages" | "prompts" | "startedAtMs" | "endedAtMs">;

async function sumMessages(db: IndexDatabase, rows: readonly number[]): Promise<MessageSums> {
  const { rows: sums } = await sql<MessageSums>`
    select count(distinct coalesce(messageId, uuid, row)) as messages,
      count(*) filter (where kind = 'prompt' and isSidechain = 0) as prompts,
      min(timestampMs) as startedAtMs, max(timestampMs) as endedAtMs
    from messages
    where fileRow in ${listOf(rows)} and isCopy = 0 and kind in ('prompt', 'answer', 'tool', 'meta')`.execute(db);
  return sums[0] ?? { messages: 0, prompts: 0, startedAtMs: null, endedAtMs: null };
}

async function sumTools(db: IndexDatabase, rows: readonly number[]): Promise<readonly IndexedToolUse[]> {
  const { rows: sums } = await sql<IndexedToolUse>`
    select name as tool, count(*) as calls, count(*) filter (where isError = 1) as errors
    from toolCalls where fileRow in ${listOf(rows)} and isCopy = 0
    group by name order by calls desc, name`.execute(db);
  return sums;
}

type UsageOfSession = UsageSums & Pick<SessionTable, "models">;

async function sumUsage(db: IndexDatabase, rows: readonly number[]): Promise<UsageOfSession> {
  const { rows: sums } = await sql<UsageOfSession>`
    select ${USAGE_SUMS}, json_group_array(distinct model) as models
    from usage where fileRow in ${listOf(rows)} and isCopy = 0`.execute(db);
  const [sum] = sums as [UsageOfSession];
  return { ...sum, models: JSON.stringify((JSON.parse(sum.models) as string[]).toSorted()) };
}
