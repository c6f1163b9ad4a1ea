export { IN_MEMORY } from "./connect.ts";
export { fullTextQuery, type QueryOptions } from "./full-text-query.ts";
export { openDatabase, type Database, type DatabaseOptions } from "./open-database.ts";
export { openRebuildableDatabase, type RebuildableDatabase } from "./open-rebuildable-database.ts";
export { UnusableDatabaseError, type UnusableReason } from "./unusable-database-error.ts";
export { holdsLock, isLocked, takeLock, tryLock, type HeldLock, type LockOptions } from "./lock-file.ts";
export { LockHeldError } from "./lock-held-error.ts";
export { announcePresence, isPresent } from "./presence.ts";
export { segmentText, WORD } from "./segment-text.ts";
