import { CompiledQuery } from "kysely";
import type { PriceTable } from "../../core/internal.ts";
import { segmentText } from "../../database/index.ts";
import { isTitle } from "../records/session-title.ts";
import type { ScannedRecord } from "../scan/scan-file.ts";
import { costOf } from "../usage/cost-of.ts";
import type { UsageLine } from "../usage/usage-line.ts";
import type { MessageKind, IndexDatabase } from "./schema.ts";
import { searchableTexts } from "./searchable-texts.ts";
import { TOKENS } from "./sql-parts.ts";

interface RecordTarget {
  readonly db: IndexDatabase;
  readonly fileRow: number;
  readonly prices: PriceTable;
}

export async function writeRecords(target: RecordTarget, records: readonly ScannedRecord[]): Promise<void> {
  for (const record of records) {
    await writeMessage(target, record);
    await writeToolCalls(target, record);
    if (record.usage !== undefined) await writeUsage(target, record.usage);
    if (record.recordType === "summary" && record.leafUuid !== undefined) await writeSummary(target, record);
  }
  await writeLinks(target, records);
}

/** A large history has a hundred thousand records: building a query for each would take longer than running it. */
const INSERT_MESSAGE = `insert into messages
  (fileRow, offset, lengthBytes, uuid, kind, messageId, agentId, isSidechain, timestampMs, isCopy)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, 0) on conflict do nothing returning row`;
const INSERT_WORDS = "insert into words (rowid, said, thinking, tools) values (?, ?, ?, ?)";
const INSERT_CALL = `insert into toolCalls (fileRow, id, name, messageId, position, startedAtMs, isCopy)
  values (?, ?, ?, ?, ?, ?, 0) on conflict do nothing`;
const FINISH_CALL = "update toolCalls set endedAtMs = ?, isError = ? where fileRow = ? and id = ?";
const DELETE_ADVISORS = "delete from usage where fileRow = ? and messageId = ? and part > 0";
const REPLACED = ["model", ...TOKENS, "isFast", "isUsOnly", "recordedCostUsd", "costUsd"];
const INSERT_USAGE = `insert into usage
  (fileRow, messageId, part, model, ${TOKENS.join(", ")}, isFinal, isFast, isUsOnly, recordedCostUsd, costUsd, timestampMs, isCopy)
  values (?, ?, ?, ?, ${TOKENS.map(() => "?").join(", ")}, ?, ?, ?, ?, ?, ?, 0)
  on conflict do update set ${REPLACED.map((name) => `${name} = excluded.${name}`).join(", ")},
    isFinal = max(usage.isFinal, excluded.isFinal), timestampMs = coalesce(usage.timestampMs, excluded.timestampMs)`;

async function writeMessage({ db, fileRow }: RecordTarget, record: ScannedRecord): Promise<void> {
  const kind = kindOf(record);
  if (kind === undefined) return;
  const { offset, lengthBytes, uuid = null, messageId = null, agentId = null } = record;
  const place = [fileRow, offset, lengthBytes, uuid, kind, messageId, agentId];
  const values = [...place, record.isSidechain ? 1 : 0, momentOf(record.timestamp)];
  const { rows } = await db.executeQuery<{ readonly row: number }>(CompiledQuery.raw(INSERT_MESSAGE, values));
  const { said, thinking, tools } = searchableTexts(record);
  if (rows[0] === undefined || (said === "" && thinking === "" && tools === "")) return;
  const words = [said, thinking, tools].map(segmentText);
  await db.executeQuery(CompiledQuery.raw(INSERT_WORDS, [rows[0].row, ...words]));
}

/** The session that it names has to be summed up again, wherever it is. */
async function writeSummary({ db, fileRow }: RecordTarget, { leafUuid = "", text }: ScannedRecord): Promise<void> {
  await db.replaceInto("summaries").values({ fileRow, leafUuid, title: text }).execute();
  await db
    .updateTable("files")
    .set({ isDirty: 1 })
    .where("row", "in", db.selectFrom("messages").select("fileRow").where("uuid", "=", leafUuid))
    .execute();
}

function kindOf(record: ScannedRecord): MessageKind | undefined {
  if (record.recordType === "assistant") return "answer";
  if (record.recordType === "user") return record.isPrompt ? "prompt" : record.toolResults.length > 0 ? "tool" : "meta";
  if (record.recordType === "system" && record.text !== "") return "system";
  return isTitle(record) ? "title" : undefined;
}

async function writeToolCalls({ db, fileRow }: RecordTarget, record: ScannedRecord): Promise<void> {
  const time = momentOf(record.timestamp);
  for (const [index, { id, name }] of record.toolUses.entries()) {
    const values = [fileRow, id, name, record.messageId ?? null, record.offset + index, time];
    await db.executeQuery(CompiledQuery.raw(INSERT_CALL, values));
  }
  for (const { toolUseId, isError } of record.toolResults) {
    await db.executeQuery(CompiledQuery.raw(FINISH_CALL, [time, isError ? 1 : 0, fileRow, toolUseId]));
  }
}

/** Of a file the last record of a response counts, but its time is the first one's. */
async function writeUsage({ db, fileRow, prices }: RecordTarget, line: UsageLine): Promise<void> {
  const { messageId, isUsOnly } = line;
  await db.executeQuery(CompiledQuery.raw(DELETE_ADVISORS, [fileRow, messageId]));
  const advisors = line.advisors.map((part) => ({ ...part, isFinal: true, isFast: false, recordedCostUsd: undefined }));
  for (const [part, { model, usage, recordedCostUsd, isFinal, isFast }] of [line, ...advisors].entries()) {
    const costUsd = recordedCostUsd ?? costOf(model, { usage, isFast, isUsOnly }, prices) ?? null;
    const flags = [isFinal, isFast, isUsOnly].map(Number);
    const counts = [fileRow, messageId, part, model, ...TOKENS.map((name) => usage[name]), ...flags];
    const values = [...counts, recordedCostUsd ?? null, costUsd, momentOf(line.timestamp)];
    await db.executeQuery(CompiledQuery.raw(INSERT_USAGE, values));
  }
}

const OTHERS = `insert or ignore into links (low, high)
  select distinct min(fileRow, ?1), max(fileRow, ?1) from (
    select fileRow from json_each(?2) as own join messages on messages.uuid = own.value where fileRow <> ?1
    union select fileRow from json_each(?3) as own join usage on usage.messageId = own.value where fileRow <> ?1)`;

/** Notes which other files have some of the same records or responses. */
async function writeLinks({ db, fileRow }: RecordTarget, records: readonly ScannedRecord[]): Promise<void> {
  const uuids = records.map(({ uuid }) => uuid).filter((uuid) => uuid !== undefined);
  const responses = new Set(records.map(({ usage }) => usage?.messageId).filter((id) => id !== undefined));
  const values = [fileRow, JSON.stringify(uuids), JSON.stringify([...responses])];
  await db.executeQuery(CompiledQuery.raw(OTHERS, values));
}

function momentOf(timestamp: string | undefined): number | null {
  const moment = Date.parse(timestamp ?? "");
  return Number.isNaN(moment) ? null : moment;
}
