/** A value that can be given to a statement or read from a row. */
export type SqliteValue = null | number | bigint | string | Uint8Array;

/** What Skein uses of a prepared statement. */
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

/** Loads SQLite: Node's own where it can search text (from 22.16 on), else the package with the same interface. */
export async function loadSqlite(): Promise<Sqlite> {
  const builtIn = process.getBuiltinModule("node:sqlite") as Sqlite | undefined;
  return builtIn !== undefined && canSearchText(builtIn) ? builtIn : await import("@photostructure/sqlite");
}

/** Node 22.13 to 22.15 have a SQLite that was compiled without FTS5; so may others that were not compiled by Node. */
function canSearchText({ DatabaseSync }: Sqlite): boolean {
  const connection = new DatabaseSync(":memory:");
  const [row] = connection.prepare("select sqlite_compileoption_used('ENABLE_FTS5') as isUsed").all();
  connection.close();
  return (row as { readonly isUsed: number }).isUsed === 1;
}
