import { databaseError } from "./database-error.ts";
import { loadSqlite, type SqliteConnection } from "./load-sqlite.ts";

/** Opens a connection to a file, making it where there is none. */
export async function connect(path: string): Promise<SqliteConnection> {
  const { DatabaseSync } = await loadSqlite();
  try {
    return new DatabaseSync(path);
  } catch (error) {
    throw databaseError(error, path);
  }
}
