import { IN_MEMORY, openDatabase, openRebuildableDatabase } from "../../database/index.ts";
import { MIGRATIONS, type TraceTables } from "./schema.ts";
import type { StateIndex } from "./state-index.ts";

/** Opens or makes the index. A damaged one, or one of a newer version, is replaced by an empty one, whose `refs()` tell what it lacks. */
export async function openStateIndex(path: string): Promise<StateIndex> {
  // Loaded only here: who opens no index does without the query builder.
  const { createStateIndex } = await import("./create-state-index.ts");
  const database = await openRebuildableDatabase<TraceTables>(path, { migrations: MIGRATIONS });
  return createStateIndex(database, true);
}

/** Opens an empty index that is gone when it is closed, for a store whose own cannot be written. */
export async function openTemporaryIndex(): Promise<StateIndex> {
  const { createStateIndex } = await import("./create-state-index.ts");
  const database = await openDatabase<TraceTables>(IN_MEMORY, { migrations: MIGRATIONS });
  return createStateIndex({ ...database, discard: database.close }, false);
}
