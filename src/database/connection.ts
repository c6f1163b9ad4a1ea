import { open } from "node:fs/promises";
import { type Clock, PRIVATE_FILE } from "../core/internal.ts";
import { databaseError, isBusy } from "./database-error.ts";

export type SqliteValue = null | number | bigint | string | Uint8Array;

export interface SqliteStatement {
  all(...parameters: SqliteValue[]): unknown[];
  run(...parameters: SqliteValue[]): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint };
}

/** What Skein uses of a connection. Every call is synchronous. */
export interface SqliteConnection {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  close(): void;
}

/** The interface of `node:sqlite`, as far as Skein uses it. */
export interface Sqlite {
  readonly DatabaseSync: new (path: string) => SqliteConnection;
}

/** The package with the interface of `node:sqlite`, which this one carries; `imports` of `package.json` says where. */
const CARRIED_SQLITE = "#sqlite";

/** Loads SQLite: Node's own where it can search text (from 22.16 on), else the one that Skein carries. */
export async function loadSqlite(): Promise<Sqlite> {
  const builtIn = process.getBuiltinModule("node:sqlite") as Sqlite | undefined;
  return builtIn !== undefined && canSearchText(builtIn) ? builtIn : ((await import(CARRIED_SQLITE)) as Sqlite);
}

/** Node 22.13 to 22.15 have a SQLite that was compiled without FTS5; so may others that were not compiled by Node. */
function canSearchText({ DatabaseSync }: Sqlite): boolean {
  const connection = new DatabaseSync(IN_MEMORY);
  const [row] = connection.prepare("select sqlite_compileoption_used('ENABLE_FTS5') as isUsed").all();
  connection.close();
  return (row as { readonly isUsed: number }).isUsed === 1;
}

export const IN_MEMORY = ":memory:";

/** Opens a connection to a file, making it where there is none, for its owner's eyes: what SQLite puts beside it has its mode. */
export async function connect(path: string): Promise<SqliteConnection> {
  const { DatabaseSync } = await loadSqlite();
  if (path !== IN_MEMORY) await makeFile(path);
  try {
    return new DatabaseSync(path);
  } catch (error) {
    throw databaseError(error, path);
  }
}

/** A file that is there is not opened: closing it again would give away all of this process's locks on it. */
async function makeFile(path: string): Promise<void> {
  // Where this fails, SQLite says why in its own words.
  await open(path, "wx", PRIVATE_FILE).then(
    (file) => file.close(),
    () => undefined,
  );
}

/** A connection, with the two things that every call to it needs: patience and typed errors. */
export interface SqliteAccess {
  readonly connection: SqliteConnection;
  readonly path: string;
  /** Calls SQLite; where another connection holds the lock, tries again for up to ten seconds. */
  attempt<T>(work: (connection: SqliteConnection) => T): Promise<T>;
}

/** Waits here and not by SQLite's `busy_timeout`, which would stop the whole process: also the transaction that it waits for. */
export function createSqliteAccess(connection: SqliteConnection, path: string, clock: Clock): SqliteAccess {
  return {
    connection,
    path,
    async attempt(work) {
      const giveUpMs = clock.now() + LONGEST_WAIT_MS;
      for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
        try {
          return work(connection);
        } catch (error) {
          if (!isBusy(error) || clock.now() >= giveUpMs) throw databaseError(error, path);
        }
        await clock.sleep(pauseMs);
      }
    },
  };
}

const LONGEST_WAIT_MS = 10_000;
const LONGEST_PAUSE_MS = 20;
