import type { Clock } from "../core/index.ts";
import { connect } from "./connect.ts";
import { createSqliteAccess } from "./sqlite-access.ts";

/**
 * Waits until this process alone holds a lock, and holds it until disposed. The lock is SQLite's own on a file that stays
 * empty: the kernel lets go of it when its holder dies.
 */
export async function lockFile(path: string, clock: Clock): Promise<AsyncDisposable> {
  const connection = await connect(path);
  try {
    await createSqliteAccess(connection, path, clock).attempt((sqlite) => sqlite.exec("begin exclusive"));
  } catch (error) {
    connection.close();
    throw error;
  }
  return {
    async [Symbol.asyncDispose]() {
      connection.close();
    },
  };
}
