import { open, readFile, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Clock, PRIVATE_FILE, systemClock } from "../core/index.ts";
import { makeFolder, syncFolder } from "./durable/sync-folder.ts";
import { errorCode } from "./storage-error.ts";

/** What to make of a ref. */
export interface RefChange {
  /** A commit's id, or `ref: …` to follow another ref. */
  readonly to: string;
  /** What it must hold now; undefined where there must be none yet. Left out, anything will do. */
  readonly expected?: string | undefined;
  readonly clock?: Clock;
}

/**
 * Moves a ref, under git's own lock file, only if it holds what the caller believes, and waits until that is on the disk.
 * Gives false where it does not: somebody else was quicker, and nothing was changed.
 */
export async function updateRef(gitDirectory: string, ref: string, change: RefChange): Promise<boolean> {
  const path = join(gitDirectory, ref);
  const lock = `${path}.lock`;
  const file = await openLock(lock, change.clock ?? systemClock);
  try {
    const isExpected = !("expected" in change) || (await readRefFile(gitDirectory, ref)) === change.expected;
    if (isExpected) {
      await file.writeFile(`${change.to}\n`);
      await file.datasync();
      await rename(lock, path);
      await syncFolder(dirname(path));
    } else await rm(lock, { force: true });
    return isExpected;
  } catch (error) {
    await rm(lock, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/** What a ref holds: a commit's id, or `ref: …`; undefined where there is none. */
export async function readRefFile(gitDirectory: string, ref: string): Promise<string | undefined> {
  const loose = await readFile(join(gitDirectory, ref), "utf8").catch(noneIfMissing);
  if (loose !== undefined) return loose.trim();
  const packed = (await readFile(join(gitDirectory, "packed-refs"), "utf8").catch(noneIfMissing)) ?? "";
  const end = packed.indexOf(` ${ref}\n`);
  return end < 40 ? undefined : packed.slice(end - 40, end);
}

/** A ref's lock is held for milliseconds, by git and by us; an old one belongs to nobody any more. */
const STALE_MS = 10_000;

async function openLock(lock: string, clock: Clock): Promise<FileHandle> {
  let seen: { readonly mtimeMs: number; readonly sinceMs: number } | undefined;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 50)) {
    // Made each time: git takes away a folder that has become empty.
    await makeFolder(dirname(lock));
    try {
      return await open(lock, "wx", PRIVATE_FILE);
    } catch (error) {
      if (!["EEXIST", "ENOENT"].includes(errorCode(error))) throw error;
    }
    const stats = await stat(lock).catch(() => undefined);
    if (stats && stats.mtimeMs !== seen?.mtimeMs) seen = { mtimeMs: stats.mtimeMs, sinceMs: clock.now() };
    // A file may be dated into the future: then it is old once it has been watched for as long.
    const bornMs = Math.min(stats?.mtimeMs ?? clock.now(), seen?.sinceMs ?? clock.now());
    if (stats && clock.now() - bornMs > STALE_MS) await rm(lock, { force: true });
    else await clock.sleep(pauseMs);
  }
}

function noneIfMissing(error: unknown): undefined {
  if (["ENOENT", "EISDIR", "ENOTDIR"].includes(errorCode(error))) return undefined;
  throw error;
}
