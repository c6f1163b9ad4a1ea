import { sql, type Kysely } from "kysely";
import { SkeinError } from "../../core/internal.ts";
import { UnusableDatabaseError, type RebuildableDatabase } from "../../database/index.ts";
import { findRecorded, readFigures, readRoots } from "./query-figures.ts";
import { listConversations } from "./query-conversations.ts";
import { listSearches } from "./query-searches.ts";
import { readShares } from "./query-shares.ts";
import { countStates, listPlaces, listStates, selectRows, sumStates } from "./query-states.ts";
import type { TraceTables } from "./schema.ts";
import type { StateIndex } from "./state-index.ts";
import { deleteStates, fromStateRow, writeNote, writeStates } from "./state-rows.ts";

export function createStateIndex(database: RebuildableDatabase<TraceTables>, isShared: boolean): StateIndex {
  let isClosed = false;
  const close = (): Promise<void> => {
    isClosed = true;
    return database.close();
  };
  const read = async <T>(work: (db: Kysely<TraceTables>) => Promise<T>): Promise<T> => {
    if (isClosed) throw new SkeinError("The trace index is closed", { kind: "usage", hint: "Open it again" });
    try {
      return await work(database.db);
    } catch (error) {
      if (!(error instanceof UnusableDatabaseError)) throw error;
      // Damage deep in a file is met only when it is read: the file must go, or whoever opens it next meets it again.
      isClosed = true;
      await database.discard();
      throw error;
    }
  };
  const write = (work: (db: Kysely<TraceTables>) => Promise<void>): Promise<void> =>
    read((db) => db.transaction().execute(work));
  return {
    isShared,
    record: (states, refs = new Map()) =>
      write(async (db) => {
        await writeStates(db, states);
        for (const [name, commitId] of refs) {
          if (commitId === undefined) await db.deleteFrom("refs").where("name", "=", name).execute();
          else await db.replaceInto("refs").values({ name, commitId }).execute();
        }
      }),
    setNote: (id, note) => write((db) => writeNote(db, id, note)),
    remove: (ids) => write((db) => deleteStates(db, ids)),
    clear: () =>
      write(async (db) => {
        await db.deleteFrom("states").execute();
        await db.deleteFrom("refs").execute();
      }),
    get: (id) => read((db) => findState(db, "id", id)),
    byTransition: (transitionId) => read((db) => findState(db, "transitionId", transitionId)),
    ids: () => read(async (db) => (await db.selectFrom("states").select("id").execute()).map(({ id }) => id)),
    which: (transitionIds) => read((db) => findRecorded(db, transitionIds)),
    list: (query = {}) => read(async (db) => (await listStates(db, query)).map(fromStateRow)),
    places: (query = {}) => read((db) => listPlaces(db, query)),
    count: (query = {}) => read((db) => countStates(db, query)),
    totals: (query = {}) => read((db) => sumStates(db, query)),
    figures: (query) => read((db) => readFigures(db, query)),
    shares: (query) => read((db) => readShares(db, query)),
    roots: () => read((db) => readRoots(db)),
    conversations: (query = {}) => read((db) => listConversations(db, query)),
    searches: (query = {}) => read((db) => listSearches(db, query)),
    refs: () => read(readRefs),
    version: () => read(readVersion),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function findState(db: Kysely<TraceTables>, column: "id" | "transitionId", value: string) {
  const found = selectRows(db).where(column, "=", value).orderBy("recordedAtMs").orderBy("depth").limit(1);
  const row = await found.executeTakeFirst();
  return row && fromStateRow(row);
}

async function readRefs(db: Kysely<TraceTables>): Promise<ReadonlyMap<string, string>> {
  const rows = await db.selectFrom("refs").selectAll().execute();
  return new Map(rows.map(({ name, commitId }) => [name, commitId]));
}

async function readVersion(db: Kysely<TraceTables>): Promise<number> {
  const { rows } = await sql<{ readonly data_version: number }>`pragma data_version`.execute(db);
  return rows[0]?.data_version ?? 0;
}
