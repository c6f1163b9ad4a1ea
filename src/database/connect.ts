import { open } from "node:fs/promises";
import { PRIVATE_FILE } from "../core/index.ts";
import { databaseError } from "./database-error.ts";
import { loadSqlite, type SqliteConnection } from "./load-sqlite.ts";

/** A database that is gone when it is closed. */
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
