import type { Kysely } from "kysely";
import { type Clock, systemClock } from "../core/internal.ts";
import {
  connect,
  createSqliteAccess,
  type SqliteAccess,
  type SqliteConnection,
  type SqliteStatement,
} from "./connection.ts";
import { databaseError, UnusableDatabaseError } from "./database-error.ts";

export interface DatabaseOptions {
  /** SQL scripts that make the schema, oldest first. Once released, a script is never changed; new ones are added. */
  readonly migrations: readonly string[];
  readonly clock?: Clock;
}

/** An open database. Writes of several statements belong in `db.transaction()`, which holds the write lock from its begin. */
export interface Database<Tables> extends AsyncDisposable {
  readonly db: Kysely<Tables>;
  /**
   * One transaction of so many small statements that each would wait longer for its turn than it takes: they are prepared once
   * and run at once. While the work waits for something else, no other statement comes between.
   */
  write<T>(work: (prepare: (sql: string) => SqliteStatement) => Promise<T>): Promise<T>;
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
  const write = <T>(work: (prepare: (sql: string) => SqliteStatement) => Promise<T>): Promise<T> =>
    // Who has the connection keeps all others waiting.
    db.connection().execute(() => runInTransaction(access, () => work((sql) => access.connection.prepare(sql))));
  return { db, write, close, [Symbol.asyncDispose]: close };
}

async function runInTransaction<T>(access: SqliteAccess, work: () => Promise<T>): Promise<T> {
  await access.attempt((sqlite) => sqlite.exec("begin immediate"));
  try {
    const result = await work();
    access.connection.exec("commit");
    return result;
  } catch (error) {
    rollBack(access.connection);
    throw databaseError(error, access.path);
  }
}

/** Where a statement met a full disk, SQLite has rolled back by itself, and the first error is the one to tell. */
function rollBack(sqlite: SqliteConnection): void {
  try {
    sqlite.exec("rollback");
  } catch {
    // There is nothing left to roll back.
  }
}

/** The page size counts only before the first table is made. Reading the schema shows a file that was cut short. */
function configure(sqlite: SqliteConnection): void {
  sqlite.exec("pragma page_size = 16384");
  sqlite.exec("pragma journal_mode = wal");
  sqlite.exec("pragma synchronous = normal");
  sqlite.exec("pragma foreign_keys = on");
  sqlite.exec("select count(*) from sqlite_schema");
}

/** `user_version` is the number of migrations seen. Each looks at it again in its transaction: of several processes one does the work. */
async function migrate(access: SqliteAccess, migrations: readonly string[]): Promise<void> {
  let version = await access.attempt(readVersion);
  while (version < migrations.length) version = await access.attempt((sqlite) => step(sqlite, migrations));
  if (version <= migrations.length) return;
  const words = `The database has version ${version}, and this Skein knows only ${migrations.length}: ${access.path}`;
  const hint = "Use the newer Skein that wrote it";
  throw new UnusableDatabaseError(words, { reason: "newer", target: access.path, hint });
}

/** Runs the next migration, unless another process was quicker, and gives the version reached. */
function step(sqlite: SqliteConnection, migrations: readonly string[]): number {
  sqlite.exec("begin immediate");
  try {
    const version = readVersion(sqlite);
    const next = migrations[version];
    if (next !== undefined) {
      sqlite.exec(next);
      sqlite.exec(`pragma user_version = ${version + 1}`);
    }
    sqlite.exec("commit");
    return readVersion(sqlite);
  } catch (error) {
    rollBack(sqlite);
    throw error;
  }
}

function readVersion(sqlite: SqliteConnection): number {
  const [row] = sqlite.prepare("pragma user_version").all() as { readonly user_version: number }[];
  return row?.user_version ?? 0;
}
