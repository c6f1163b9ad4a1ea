import type { SqliteConnection } from "./load-sqlite.ts";
import type { SqliteAccess } from "./sqlite-access.ts";
import { UnusableDatabaseError } from "./unusable-database-error.ts";

/**
 * Brings the schema up to date. The database's `user_version` is the number of migrations that it has seen; each runs in
 * a transaction that looks at the version again, so that of several processes one does the work.
 */
export async function migrate(access: SqliteAccess, migrations: readonly string[]): Promise<void> {
  let version = await access.attempt(readVersion);
  while (version < migrations.length) version = await access.attempt((sqlite) => step(sqlite, migrations));
  if (version > migrations.length) throw newer(access.path, version, migrations.length);
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

/** Where SQLite has rolled back by itself there is nothing to do, and the first error is the one to tell. */
function rollBack(sqlite: SqliteConnection): void {
  try {
    sqlite.exec("rollback");
  } catch {
    // As said above.
  }
}

function newer(path: string, version: number, known: number): UnusableDatabaseError {
  return new UnusableDatabaseError(`The database has version ${version}, and this Skein knows only ${known}: ${path}`, {
    reason: "newer",
    target: path,
    hint: "Use the newer Skein that wrote it",
  });
}
