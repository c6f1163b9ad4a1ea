import { setImmediate as nextTick } from "node:timers/promises";
import { sql } from "kysely";
import { groupBy } from "../../core/index.ts";
import { createSets } from "../disjoint-sets.ts";
import type { FileRow, IndexDatabase, TranscriptTables } from "./schema.ts";
import { listOf } from "./sql-parts.ts";
import { summarizeGroup } from "./summarize-group.ts";

/** Groups summed up in one transaction. */
const AT_ONCE = 50;

/** Brings the logical sessions up to date with the files that were read. */
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

/**
 * Notes of files that share records which of them are copies. Of a record or a call the file whose path comes first has
 * the original; of a response it is the file that counted more. Runs inside the caller's transaction.
 */
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

/** A file as far as grouping needs it. */
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
