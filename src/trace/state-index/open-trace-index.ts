import { openRebuildableDatabase } from "../../database/index.ts";
import { MIGRATIONS, type TraceTables } from "./schema.ts";
import type { TraceIndex } from "./trace-index.ts";

/**
 * Opens the index of a workspace's states, making it where there is none. A damaged one, or one of a newer version, is
 * replaced by an empty one: compare its `refs()` with the store's and tell it what it lacks.
 */
export async function openTraceIndex(path: string): Promise<TraceIndex> {
  // Loaded only here: who opens no index does without the query builder.
  const { createTraceIndex } = await import("./create-trace-index.ts");
  return createTraceIndex(await openRebuildableDatabase<TraceTables>(path, { migrations: MIGRATIONS }));
}
