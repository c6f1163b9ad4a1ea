export { IN_MEMORY, type SqliteStatement } from "./connection.ts";
export { UnusableDatabaseError } from "./database-error.ts";
export { fullTextQuery, segmentText, WORD } from "./full-text.ts";
export { holdsLock, isLocked, LockHeldError, sweepLocks, takeLock, tryLock, type HeldLock } from "./lock-file.ts";
export { openDatabase } from "./open-database.ts";
export { openRebuildableDatabase, type RebuildableDatabase } from "./open-rebuildable-database.ts";
export { announcePresence, isPresent } from "./presence.ts";
