import {
  type CompiledQuery,
  type DatabaseConnection,
  DeleteQueryNode,
  type Dialect,
  type Driver,
  InsertQueryNode,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  UpdateQueryNode,
} from "kysely";
import type { SqliteAccess, SqliteConnection, SqliteStatement, SqliteValue } from "./connection.ts";

/** Lets Kysely speak to one connection with the interface of `node:sqlite`. */
export function createSqliteDialect(access: SqliteAccess): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => createDriver(access),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** There is one connection: who has acquired it keeps the others waiting, so that a transaction is nobody else's. */
function createDriver(access: SqliteAccess): Driver {
  const statements = createStatementCache(access.connection);
  const connection = createConnection(access, statements.prepare);
  const turns = createTurns();
  const execute = (sql: string): Promise<void> => access.attempt((sqlite) => sqlite.exec(sql));
  return {
    async init() {},
    async acquireConnection() {
      await turns.take();
      return connection;
    },
    // A transaction that reads first and writes later could not wait for its turn: SQLite would refuse the write.
    beginTransaction: (_connection, { accessMode }) =>
      execute(accessMode === "read only" ? "begin deferred" : "begin immediate"),
    commitTransaction: () => execute("commit"),
    // Where a statement met a full disk, SQLite has rolled back by itself, and there is nothing left to roll back.
    rollbackTransaction: () => execute("rollback").catch(() => undefined),
    async releaseConnection() {
      turns.give();
    },
    async destroy() {
      await turns.take();
      statements.clear();
      checkpoint(access.connection);
      access.connection.close();
    },
  };
}

/** The package for Node 20 lets go of a closed file only when its statements are collected: what is in the log must be in the file by then. */
function checkpoint(connection: SqliteConnection): void {
  try {
    connection.exec("pragma wal_checkpoint(truncate)");
  } catch {
    // The log is kept then, and the next one who opens the file reads it.
  }
}

function createConnection(access: SqliteAccess, prepare: (sql: string) => SqliteStatement): DatabaseConnection {
  const executeQuery = <Row>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<Row>> =>
    access.attempt(() => {
      const values = parameters as readonly SqliteValue[];
      if (!isPlainWrite(query)) return { rows: prepare(sql).all(...values) as Row[] };
      const { changes, lastInsertRowid } = prepare(sql).run(...values);
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
    });
  return {
    executeQuery,
    async *streamQuery<Row>(query: CompiledQuery) {
      yield await executeQuery<Row>(query);
    },
  };
}

function isPlainWrite(query: CompiledQuery["query"]): boolean {
  const isWrite = InsertQueryNode.is(query) || UpdateQueryNode.is(query) || DeleteQueryNode.is(query);
  return isWrite && query.returning === undefined;
}

const MOST_STATEMENTS = 100;

/** Keeps the statements used last: preparing one takes longer than most runs of it. */
function createStatementCache(connection: SqliteConnection) {
  const statements = new Map<string, SqliteStatement>();
  return {
    prepare(sql: string): SqliteStatement {
      const statement = statements.get(sql) ?? connection.prepare(sql);
      statements.delete(sql);
      statements.set(sql, statement);
      const [oldest = ""] = statements.keys();
      if (statements.size > MOST_STATEMENTS) statements.delete(oldest);
      return statement;
    },
    clear: () => statements.clear(),
  };
}

function createTurns(): { take(): Promise<void>; give(): void } {
  const waiting: (() => void)[] = [];
  let taken = false;
  return {
    async take() {
      if (taken) await new Promise<void>((resolve) => waiting.push(resolve));
      taken = true;
    },
    give() {
      const next = waiting.shift();
      if (next === undefined) taken = false;
      else next();
    },
  };
}
