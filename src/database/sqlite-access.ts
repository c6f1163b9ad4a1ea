import type { Clock } from "../core/index.ts";
import { databaseError, isBusy } from "./database-error.ts";
import type { SqliteConnection } from "./load-sqlite.ts";

/** A connection, with the two things that every call to it needs: patience and typed errors. */
export interface SqliteAccess {
  readonly connection: SqliteConnection;
  readonly path: string;
  /** Calls SQLite; where another connection holds the lock, tries again for up to ten seconds. */
  attempt<T>(work: (connection: SqliteConnection) => T): Promise<T>;
}

/**
 * Waiting is done here and not by SQLite's `busy_timeout`, which would stop the whole process: also the transaction of
 * another connection in this process, for whose end it waits.
 */
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
