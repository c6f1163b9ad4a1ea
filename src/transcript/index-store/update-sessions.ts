import { basename } from "node:path";
import { setImmediate as nextTick } from "node:timers/promises";
import { sql } from "kysely";
import { groupBy } from "../../core/internal.ts";
import { createSets } from "../disjoint-sets.ts";
import type { FileRow, IndexDatabase, SessionTable, TranscriptTables } from "./schema.ts";
import { listOf, ANSWERED_BY, answeredBy, USAGE_SUMS, type UsageSums } from "./sql-parts.ts";
import type { IndexedToolUse } from "./transcript-index.ts";

const AT_ONCE = 50;

export async function updateSessions(db: IndexDatabase): Promise<void> {
  const files = await db
    .selectFrom("files")
    .select(["row", "sessionId", "logicalId", "isDirty"])
    .orderBy("path")
    .execute();
  const links = await db.selectFrom("links").selectAll().execute();
  const changed = changedGroups(groupFiles(files, links));
  const linked = new Set(links.flatMap(({ low, high }) => [low, high]));
  for (let start = 0; start < changed.length; start += AT_ONCE) {
    await db.transaction().execute(async (inside) => {
      for (const group of changed.slice(start, start + AT_ONCE)) {
        const rows = group.map(({ row }) => row);
        await markCopies(
          inside,
          rows.filter((row) => linked.has(row)),
        );
        // What was shared until the other file was replaced is no copy any more.
        await clearCopies(
          inside,
          rows.filter((row) => !linked.has(row)),
        );
        await summarizeGroup(inside, rows);
      }
    });
    await nextTick();
  }
  await sql`delete from sessions where id not in (select logicalId from files where logicalId is not null)`.execute(db);
}

async function clearCopies(db: IndexDatabase, rows: readonly number[]): Promise<void> {
  for (const table of ["messages", "toolCalls", "usage"] as const) {
    await sql`update ${sql.table(table)} set isCopy = 0 where fileRow in ${listOf(rows)} and isCopy = 1`.execute(db);
  }
}

/** Of a record or a call the file whose path comes first has the original; of a response it is the file that counted more. */
async function markCopies(db: IndexDatabase, rows: readonly number[]): Promise<void> {
  if (rows.length === 0) return;
  const files = listOf(rows);
  const isFirst = sql`(select path from files where row = other.fileRow) < (select path from files where row = own.fileRow)`;
  for (const [table, key] of [
    [sql`messages`, sql`uuid`],
    [sql`toolCalls`, sql`id`],
  ] as const) {
    const isCopy = sql`exists (select 1 from ${table} as other
      where other.${key} = own.${key} and other.fileRow <> own.fileRow and ${isFirst})`;
    await sql`update ${table} as own set isCopy = ${isCopy} where fileRow in ${files} and isCopy <> ${isCopy}`.execute(
      db,
    );
  }
  const isLess = sql`exists (select 1 from usage as other
    where other.messageId = own.messageId and other.part = 0 and other.fileRow <> own.fileRow and (
      (other.outputTokens, other.isFinal) > (main.outputTokens, main.isFinal)
      or ((other.outputTokens, other.isFinal) = (main.outputTokens, main.isFinal) and ${isFirst})))`;
  const isCopy = sql`(select ${isLess} from usage as main
    where main.fileRow = own.fileRow and main.messageId = own.messageId and main.part = 0)`;
  await sql`update usage as own set isCopy = ${isCopy} where fileRow in ${files} and isCopy <> ${isCopy}`.execute(db);
}

type GroupedFile = Pick<FileRow, "row" | "sessionId" | "logicalId" | "isDirty">;
type Groups = readonly (readonly GroupedFile[])[];

/** Files that share records or a session belong together, directly or through others. */
function groupFiles(files: readonly GroupedFile[], links: readonly TranscriptTables["links"][]): Groups {
  const sets = createSets<number | string>();
  for (const { row, sessionId } of files) sets.join(row, sessionId === null ? row : `session ${sessionId}`);
  for (const { low, high } of links) sets.join(low, high);
  return [...groupBy(files, ({ row }) => sets.find(row)).values()];
}

/** The groups that are not as they were summed up last: something was read, or files have come or gone. */
function changedGroups(groups: Groups): Groups {
  const before = groupBy(groups.flat(), ({ logicalId }) => logicalId);
  return groups.filter((group) => {
    const id = group[0]?.logicalId ?? null;
    const isAsBefore = group.every(({ logicalId, isDirty }) => logicalId === id && isDirty === 0);
    return id === null || !isAsBefore || before.get(id)?.length !== group.length;
  });
}

/** Sums up the session that some files make. Runs inside the caller's transaction. */
async function summarizeGroup(db: IndexDatabase, rows: readonly number[]): Promise<void> {
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
    select ${USAGE_SUMS}, json_group_array(distinct ${ANSWERED_BY}) as models
    from usage where fileRow in ${listOf(rows)} and isCopy = 0`.execute(db);
  const [sum] = sums as [UsageOfSession];
  return { ...sum, models: JSON.stringify((JSON.parse(sum.models) as string[]).map(answeredBy).toSorted()) };
}
