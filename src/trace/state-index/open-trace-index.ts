import { IN_MEMORY, openDatabase, openRebuildableDatabase } from "../../database/index.ts";
import { MIGRATIONS, type TraceTables } from "./schema.ts";
import type { TraceIndex } from "./trace-index.ts";

/**
 * Opens the index of a workspace's states, making it where there is none. A damaged one, or one of a newer version, is
 * replaced by an empty one: compare its `refs()` with the store's and tell it what it lacks.
 */
export async function openTraceIndex(path: string): Promise<TraceIndex> {
  // Loaded only here: who opens no index does without the query builder.
  const { createTraceIndex } = await import("./create-trace-index.ts");
  const database = await openRebuildableDatabase<TraceTables>(path, { migrations: MIGRATIONS });
  return createTraceIndex(database, { isShared: true });
}

/** Opens an empty index that is gone when it is closed, for a store whose own cannot be written. */
export async function openTemporaryTraceIndex(): Promise<TraceIndex> {
  const { createTraceIndex } = await import("./create-trace-index.ts");
  const database = await openDatabase<TraceTables>(IN_MEMORY, { migrations: MIGRATIONS });
  return createTraceIndex({ ...database, discard: database.close }, { isShared: false });
}
