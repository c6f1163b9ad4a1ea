import { createHash } from "node:crypto";
import { join, relative } from "node:path";
import { type PriceTable, SkeinError } from "../../core/internal.ts";
import { openRebuildableDatabase, UnusableDatabaseError, type RebuildableDatabase } from "../../database/index.ts";
import { costOf } from "../usage/cost-of.ts";
import { copyPath, type IndexSetting } from "./index-setting.ts";
import { unpackKept } from "../copies/kept-file.ts";
import { refreshIndex } from "./refresh-index.ts";
import { MIGRATIONS, type IndexDatabase, type TranscriptTables } from "./schema.ts";
import { searchMessages } from "./search-messages.ts";
import { findSession, selectSessions, sumSessions } from "./select-sessions.ts";
import { selectStats } from "./select-stats.ts";
import type { IndexedFile, IndexedSession, TranscriptIndex } from "./transcript-index.ts";

/** Makes the index of transcripts over its database, which is opened, or made where there is none. */
export async function createTranscriptIndex(options: Omit<IndexSetting, "db">): Promise<TranscriptIndex> {
  const { prices } = options;
  const path = join(options.folder, "index.sqlite");
  const database = await openPriced(path, prices).catch((error: unknown) => {
    // Damage may be met only when something is read; what takes the file's place has none.
    if (error instanceof UnusableDatabaseError) return openPriced(path, prices);
    throw error;
  });
  const { db } = database;
  const setting: IndexSetting = { ...options, db };
  let isClosed = false;
  const close = (): Promise<void> => {
    isClosed = true;
    return database.close();
  };
  const guard = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isClosed) throw new SkeinError("The transcript index is closed", { kind: "usage", hint: "Open it again" });
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UnusableDatabaseError)) throw error;
      // Damage deep in a file is met only when it is read: the file must go, or whoever opens it next meets it again.
      isClosed = true;
      await database.discard();
      throw error;
    }
  };
  /** A session is named by any of its ids, or by the beginning of one. */
  const named = async <Query extends { readonly session?: string }>(query: Query): Promise<Query> =>
    query.session === undefined ? query : { ...query, session: (await findSession(db, query.session)).id };
  return {
    refresh: (refreshOptions = {}) => guard(() => refreshIndex(setting, refreshOptions)),
    sessions: (query = {}) =>
      guard(async () => ({
        sessions: await selectSessions(db, query),
        totals: await sumSessions(db, query),
        prices: { date: prices.date, source: prices.source },
      })),
    session: (id) => guard(() => findSession(db, id)),
    search: (words, query = {}) => guard(async () => searchMessages(setting, words, await named(query))),
    stats: (query) => guard(async () => selectStats(db, await named(query), prices)),
    copyKept: (id, folder) => guard(async () => copyKept(setting, await findSession(db, id), folder)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Only what is gone is copied: the rest is where it was. */
async function copyKept(setting: IndexSetting, session: IndexedSession, folder: string): Promise<readonly string[]> {
  const purged = session.files.filter(({ isPurged }) => isPurged);
  const lost = purged.find(({ isKept }) => !isKept);
  if (lost !== undefined) {
    throw new SkeinError(`Claude Code has deleted the transcript, and no copy was kept: ${lost.path}`, {
      kind: "usage",
      target: lost.path,
      hint: "Its numbers are still known. Raise Claude Code's setting `cleanupPeriodDays` to keep transcripts longer",
    });
  }
  const targetOf = ({ path }: IndexedFile): string => join(folder, relative(setting.base, path));
  for (const file of purged) await unpackKept(copyPath(setting, file.path), targetOf(file));
  return purged.filter(({ isSubagent }) => !isSubagent).map(targetOf);
}

async function openPriced(path: string, prices: PriceTable): Promise<RebuildableDatabase<TranscriptTables>> {
  const database = await openRebuildableDatabase<TranscriptTables>(path, { migrations: MIGRATIONS });
  try {
    await reprice(database.db, prices);
    return database;
  } catch (error) {
    await (error instanceof UnusableDatabaseError ? database.discard() : database.close());
    throw error;
  }
}

const PRICES = "prices";

/** Reckons all money anew where it was reckoned by other prices. */
async function reprice(db: IndexDatabase, prices: PriceTable): Promise<void> {
  const value = createHash("sha256").update(JSON.stringify(prices)).digest("hex");
  const known = await db.selectFrom("notes").select("value").where("name", "=", PRICES).executeTakeFirst();
  if (known?.value === value) return;
  await db.transaction().execute(async (inside) => {
    const rows = await inside.selectFrom("usage").selectAll().where("recordedCostUsd", "is", null).execute();
    for (const row of rows) {
      const priced = { usage: row, isFast: row.isFast === 1, isUsOnly: row.isUsOnly === 1 };
      await inside
        .updateTable("usage")
        .set({ costUsd: costOf(row.model, priced, prices) ?? null })
        .where("fileRow", "=", row.fileRow)
        .where("messageId", "=", row.messageId)
        .where("part", "=", row.part)
        .execute();
    }
    await inside.updateTable("files").set({ isDirty: 1 }).execute();
    await inside.replaceInto("notes").values({ name: PRICES, value }).execute();
  });
}
