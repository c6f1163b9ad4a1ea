import { rm, stat } from "node:fs/promises";
import { SkeinError, systemClock } from "../core/internal.ts";
import { UnusableDatabaseError } from "./database-error.ts";
import { takeLock } from "./lock-file.ts";
import { type Database, type DatabaseOptions, openDatabase } from "./open-database.ts";

/** A database whose content can be made anew from something else. */
export interface RebuildableDatabase<Tables> extends Database<Tables> {
  /** Closes the database and deletes its file, unless another has taken its place. A second call does nothing. */
  discard(): Promise<void>;
}

/**
 * Opens a database whose content can be made anew: where the file is damaged or from a newer version, it is deleted and an
 * empty one takes its place. Opening is locked, since a file that is deleted while another process opens it would leave
 * that one with parts of both; who has it open already goes on with the deleted one.
 */
export async function openRebuildableDatabase<Tables>(
  path: string,
  options: DatabaseOptions,
): Promise<RebuildableDatabase<Tables>> {
  const lock = (): Promise<AsyncDisposable> => takeLock(`${path}.lock`, { clock: options.clock ?? systemClock });
  await using _ = await lock();
  const database = await openOrReplace<Tables>(path, options);
  const opened = await fileIdentity(path);
  let discarded: Promise<void> | undefined;
  const discard = (): Promise<void> => database.close().then(() => removeOpened(path, opened, lock));
  return { ...database, discard: () => (discarded ??= discard()) };
}

async function removeOpened(path: string, opened: unknown, lock: () => Promise<AsyncDisposable>): Promise<void> {
  await using _ = await lock();
  if ((await fileIdentity(path)) === opened) await removeDatabase(path);
}

async function openOrReplace<Tables>(path: string, options: DatabaseOptions): Promise<Database<Tables>> {
  try {
    return await openDatabase<Tables>(path, options);
  } catch (error) {
    if (!(error instanceof UnusableDatabaseError)) throw error;
    await removeDatabase(path);
    return openDatabase<Tables>(path, options);
  }
}

/** Tells a file from another that later has the same name. */
async function fileIdentity(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found && `${found.dev}:${found.ino}`;
}

/** Deletes a database with the files that SQLite keeps beside it. */
async function removeDatabase(path: string): Promise<void> {
  try {
    for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}-journal`]) await rm(file, { force: true });
  } catch (cause) {
    throw new SkeinError(`The database cannot be deleted: ${path}`, { kind: "filesystem", target: path, cause });
  }
}
