import { open } from "node:fs/promises";
import { PRIVATE_FILE } from "../core/index.ts";
import { databaseError } from "./database-error.ts";
import { loadSqlite, type SqliteConnection } from "./load-sqlite.ts";

/** Opens a connection to a file, making it where there is none, for its owner's eyes: what SQLite puts beside it has its mode. */
export async function connect(path: string): Promise<SqliteConnection> {
  const { DatabaseSync } = await loadSqlite();
  // Where this fails, SQLite says why in its own words.
  await open(path, "a", PRIVATE_FILE).then(
    (file) => file.close(),
    () => undefined,
  );
  try {
    return new DatabaseSync(path);
  } catch (error) {
    throw databaseError(error, path);
  }
}
