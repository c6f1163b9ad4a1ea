import { setImmediate as nextTick } from "node:timers/promises";
import { sql, type Kysely } from "kysely";
import { changedGroups, groupFiles, type FileLink } from "./group-files.ts";
import { markCopies } from "./mark-copies.ts";
import { rowList } from "./row-list.ts";
import type { TranscriptTables } from "./schema.ts";
import { summarizeGroup } from "./summarize-group.ts";

/** Groups summed up in one transaction. */
const AT_ONCE = 50;

/** Brings the logical sessions up to date with the files that were read. */
export async function updateSessions(db: Kysely<TranscriptTables>): Promise<void> {
  const files = await db
    .selectFrom("files")
    .select(["row", "sessionId", "logicalId", "isDirty"])
    .orderBy("path")
    .execute();
  const links = await db.selectFrom("links").selectAll().execute();
  const changed = changedGroups(groupFiles(files, links));
  const linked = new Set(links.flatMap(({ low, high }: FileLink) => [low, high]));
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

async function clearCopies(db: Kysely<TranscriptTables>, rows: readonly number[]): Promise<void> {
  for (const table of ["messages", "toolCalls", "usage"] as const) {
    await sql`update ${sql.table(table)} set isCopy = 0 where fileRow in ${rowList(rows)} and isCopy = 1`.execute(db);
  }
}
