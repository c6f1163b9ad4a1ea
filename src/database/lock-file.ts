import { rmSync, statSync, writeFileSync } from "node:fs";
import { readdir, readFile, truncate } from "node:fs/promises";
import { join } from "node:path";
import {
  type Clock,
  describeProcess,
  identify,
  onceInProcess,
  parseProcessIdentity,
  PRIVATE_FILE,
  SkeinError,
  systemClock,
} from "../core/internal.ts";
import { connect, type SqliteConnection } from "./connection.ts";
import { databaseError, isBusy, UnusableDatabaseError } from "./database-error.ts";

/** A lock that is held; disposing of it lets go. */
export interface HeldLock extends AsyncDisposable {
  /** Whether the one before died while holding it, and may have left something half done. */
  readonly tookOver: boolean;
}

export interface LockOptions {
  /** Two minutes by default; below zero it is tried once. */
  readonly waitMs?: number;
  readonly clock?: Clock;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Waits until this caller alone holds a lock. It is SQLite's own on a file that stays empty, so the kernel lets go of it when its
 * holder dies, and two containers that share a disk see each other's. Who holds it is written beside it, never into it: closing
 * any other handle on the file would give the lock away.
 */
export async function takeLock(path: string, options: LockOptions = {}): Promise<HeldLock> {
  const { waitMs = 120_000, clock = systemClock, signal } = options;
  const giveUpMs = clock.now() + waitMs;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    signal?.throwIfAborted();
    const taken = (await tryTake(path)) ?? (waitMs < 0 ? await tryTake(path) : undefined);
    if (taken) return taken;
    if (clock.now() > giveUpMs) throw await stillHeld(path);
    await clock.sleep(pauseMs, signal);
  }
}

export async function tryLock(path: string): Promise<HeldLock | undefined> {
  return await takeLock(path, { waitMs: -1 }).catch((error: unknown) => {
    if (error instanceof LockHeldError) return undefined;
    throw error;
  });
}

/** Whether this process holds a lock, or is about to. */
export function holdsLock(path: string): boolean {
  return here.has(path);
}

/** Whether somebody holds a lock now, this process among them. Changes nothing: who takes it next still learns of a death. */
export async function isLocked(path: string): Promise<boolean> {
  if (here.has(path)) return true;
  if (fileIdentity(path) === undefined) return false;
  const connection = await connect(path);
  try {
    connection.exec("select count(*) from sqlite_schema");
    return false;
  } catch (thrown) {
    return isBusy(thrown);
  } finally {
    connection.close();
  }
}

const LONGEST_PAUSE_MS = 50;

/**
 * The locks that this process holds or tries to take. SQLite's locks belong to the process, so that two of it are kept apart here; and a
 * connection that nothing leads to would be closed by the garbage collector, and its lock be lost.
 */
const here = onceInProcess("locks", () => new Map<string, SqliteConnection | undefined>());

async function tryTake(path: string): Promise<HeldLock | undefined> {
  if (here.has(path)) return undefined;
  here.set(path, undefined);
  try {
    const connection = await lock(path);
    return connection && (await hold(path, connection));
  } finally {
    if (here.get(path) === undefined) here.delete(path);
  }
}

/** The lock counts only if the file is still the one that was opened: who lets go removes it. */
async function lock(path: string): Promise<SqliteConnection | undefined> {
  const opened = makeFile(path);
  if (opened === undefined) return undefined;
  const connection = await connect(path);
  try {
    // A journal would be a file, for which a full disk has no room.
    connection.exec("pragma journal_mode = memory");
    connection.exec("begin exclusive");
    if (fileIdentity(path) === opened) return connection;
  } catch (thrown) {
    connection.close();
    if (isBusy(thrown)) return undefined;
    const error = databaseError(thrown, path);
    if (!(error instanceof UnusableDatabaseError)) throw error;
    // Not a lock of ours, or half of something that a power cut left: empty, it is one.
    await truncate(path);
    return undefined;
  }
  connection.close();
  return undefined;
}

async function hold(path: string, connection: SqliteConnection): Promise<HeldLock> {
  const holder = `${path}.holder`;
  const tookOver = fileIdentity(holder) !== undefined;
  own ??= identify(process.pid).then((identity) => JSON.stringify(identity));
  const words = await own;
  // Only for people and for the next in line: a full disk keeps nobody from freeing it.
  attempt(() => writeFileSync(holder, words, { mode: PRIVATE_FILE }));
  here.set(path, connection);
  let isHeld = true;
  return {
    tookOver,
    async [Symbol.asyncDispose]() {
      if (!isHeld) return;
      isHeld = false;
      for (const file of [holder, path]) attempt(() => rmSync(file, { force: true }));
      connection.close();
      here.delete(path);
    },
  };
}

/** Who this process is, as it stands beside each lock that it holds. */
let own: Promise<string> | undefined;

/** Tells a file from another that later has the same name; makes it where there is none. */
function makeFile(path: string): string | undefined {
  const found = fileIdentity(path);
  if (found !== undefined) return found;
  try {
    writeFileSync(path, "", { flag: "wx", mode: PRIVATE_FILE });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cannotLock(path, cause);
  }
  return fileIdentity(path);
}

// Locks are taken for each snapshot: asking another thread for things this small would take longer than they do.
function fileIdentity(path: string): string | undefined {
  const found = attempt(() => statSync(path, { bigint: true, throwIfNoEntry: false }));
  return found && `${found.dev}:${found.ino}:${found.birthtimeNs}`;
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function cannotLock(path: string, cause: unknown): SkeinError {
  const words = cause instanceof Error ? cause.message : String(cause);
  return new SkeinError(`The lock ${path} cannot be created: ${words}`, {
    kind: "filesystem",
    target: path,
    cause,
    hint: "Check that its folder exists, is on a local disk and is writable",
  });
}

async function stillHeld(path: string): Promise<LockHeldError> {
  const holder = parseProcessIdentity(await readFile(`${path}.holder`, "utf8").catch(() => ""));
  return new LockHeldError(path, holder ? await describeProcess(holder) : "another process");
}

/** Removes the lock files that processes left which are gone. Nothing waits for that: they would be taken as they are. */
export async function sweepLocks(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((each) => each.endsWith(".lock"))) {
    await (await tryLock(join(folder, name)))?.[Symbol.asyncDispose]();
  }
}

/** Somebody else holds a lock, and did not let go of it in time. */
export class LockHeldError extends SkeinError {
  override readonly name = "LockHeldError";
  readonly holder: string;

  constructor(path: string, holder: string) {
    super(`The store is in use by ${holder}`, { kind: "timeout", target: path, retryable: true });
    this.holder = holder;
  }
}
