import type { Kysely } from "kysely";
import { systemClock, type Clock } from "../core/index.ts";
import { connect } from "./connect.ts";
import type { SqliteConnection } from "./load-sqlite.ts";
import { migrate } from "./migrate.ts";
import { createSqliteAccess } from "./sqlite-access.ts";

/** How a database is opened. */
export interface DatabaseOptions {
  /** SQL scripts that make the schema, oldest first. Once released, a script is never changed; new ones are added. */
  readonly migrations: readonly string[];
  /** By which waiting for another process is timed. */
  readonly clock?: Clock;
}

/** An open database. Writes of several statements belong in `db.transaction()`, which holds the write lock from its begin. */
export interface Database<Tables> extends AsyncDisposable {
  readonly db: Kysely<Tables>;
  /** Waits for running transactions and closes the file. A second call does nothing. */
  close(): Promise<void>;
}

/**
 * Opens a SQLite file, making it where there is none, and brings its schema up to date. Any number of processes may do so
 * at once. Throws an `UnusableDatabaseError` where the file is damaged or from a newer version.
 */
export async function openDatabase<Tables>(path: string, options: DatabaseOptions): Promise<Database<Tables>> {
  const [{ Kysely }, { createSqliteDialect }] = await Promise.all([import("kysely"), import("./sqlite-dialect.ts")]);
  const access = createSqliteAccess(await connect(path), path, options.clock ?? systemClock);
  try {
    await access.attempt(configure);
    await migrate(access, options.migrations);
  } catch (error) {
    access.connection.close();
    throw error;
  }
  const db = new Kysely<Tables>({ dialect: createSqliteDialect(access) });
  // Kysely closes only what it has used.
  await db.connection().execute(() => Promise.resolve());
  const close = (): Promise<void> => db.destroy();
  return { db, close, [Symbol.asyncDispose]: close };
}

/** The page size counts only before the first table is made. Reading the schema shows a file that was cut short. */
function configure(sqlite: SqliteConnection): void {
  sqlite.exec("pragma page_size = 16384");
  sqlite.exec("pragma journal_mode = wal");
  sqlite.exec("pragma synchronous = normal");
  sqlite.exec("pragma foreign_keys = on");
  sqlite.exec("select count(*) from sqlite_schema");
}
