import { sql, type Kysely } from "kysely";
import { rowList } from "./row-list.ts";
import type { TranscriptTables } from "./schema.ts";

/**
 * Notes of files that share records which of them are copies. Of a record or a call the file whose path comes first has
 * the original; of a response it is the file that counted more. Runs inside the caller's transaction.
 */
export async function markCopies(db: Kysely<TranscriptTables>, rows: readonly number[]): Promise<void> {
  if (rows.length === 0) return;
  const files = rowList(rows);
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
