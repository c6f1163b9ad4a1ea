import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { z } from "zod";
import { type Clock, createId, identify, isRunning, PRIVATE_FILE, SkeinError, systemClock } from "../core/index.ts";
import { errorCode } from "./storage-error.ts";

/** A lock that is held; disposing of it lets go. */
export interface HeldLock extends AsyncDisposable {
  /** Whether the one before died while holding it, and may have left something half done. */
  readonly tookOver: boolean;
}

/** How long to wait for a lock, and by which clock. */
export interface LockOptions {
  readonly waitMs?: number;
  readonly clock?: Clock;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Waits for a lock that one process of the machine holds at a time. It is a file that names its holder by pid and start;
 * where that process is gone, the lock is taken over.
 */
export async function takeLock(path: string, options: LockOptions = {}): Promise<HeldLock> {
  const { waitMs = 120_000, clock = systemClock, signal } = options;
  const mine = JSON.stringify({ ...(await identify(process.pid)), token: createId(clock) });
  const giveUpMs = clock.now() + waitMs;
  let tookOver = false;
  for (let pauseMs = 2; ; pauseMs = Math.min(pauseMs * 2, 50)) {
    signal?.throwIfAborted();
    if (await tryTake(path, mine)) return held(path, mine, tookOver);
    const text = await readFile(path, "utf8").catch(() => undefined);
    if (text === undefined) continue;
    if (!(await isHeld(text))) tookOver = (await clear(path, text)) || tookOver;
    else if (clock.now() > giveUpMs) throw stillHeld(path, text);
    else await clock.sleep(pauseMs, signal);
  }
}

const Holder = z.object({ pid: z.int(), startTime: z.string() });

/** The file appears with its content or not at all: a link is made whole. */
async function tryTake(path: string, mine: string): Promise<boolean> {
  const own = `${path}.${process.pid}.${createId()}`;
  try {
    await writeFile(own, mine, { flag: "wx", mode: PRIVATE_FILE });
    await link(own, path);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  } finally {
    await rm(own, { force: true });
  }
}

function held(path: string, mine: string, tookOver: boolean): HeldLock {
  return {
    tookOver,
    async [Symbol.asyncDispose]() {
      if ((await readFile(path, "utf8").catch(() => "")) === mine) await rm(path, { force: true });
    },
  };
}

/** Whether the process that a lock names is there. */
export async function isHeld(text: string): Promise<boolean> {
  const holder = Holder.safeParse(parse(text));
  return holder.success && (await isRunning(holder.data));
}

/** Moves a dead holder's file away. Another may have been quicker and hold it already: then it is put back. */
async function clear(path: string, seen: string): Promise<boolean> {
  const away = `${path}.dead.${createId()}`;
  try {
    await rename(path, away);
  } catch {
    return false;
  }
  const moved = await readFile(away, "utf8").catch(() => "");
  if (moved !== seen) await link(away, path).catch(() => undefined);
  await rm(away, { force: true });
  return moved === seen;
}

function stillHeld(path: string, text: string): SkeinError {
  const holder = Holder.safeParse(parse(text));
  const who = holder.success ? `process ${holder.data.pid}` : "another process";
  return new SkeinError(`The snapshot store is in use by ${who}`, { kind: "timeout", target: path, retryable: true });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
