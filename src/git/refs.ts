import { link, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  type Clock,
  createId,
  identify,
  isRunning,
  parseProcessIdentity,
  PRIVATE_FILE,
  systemClock,
} from "../core/internal.ts";
import { errorCode } from "./files/storage-error.ts";
import { makeFolder, syncFolder, writeDurably } from "./files/write-durably.ts";
import { readPackedRefs } from "./packed-refs.ts";

/**
 * Moves a ref to a commit's id or, by `ref: …`, to another ref, under git's own lock file, and waits until that is on the disk. Where
 * `expected` is given, the ref must hold that (undefined: must not be there yet), else somebody was quicker: false, and nothing is changed.
 */
export async function updateRef(
  gitDirectory: string,
  ref: string,
  change: { readonly to: string; readonly expected?: string | undefined; readonly clock?: Clock },
): Promise<boolean> {
  const path = join(gitDirectory, ref);
  const lock = `${path}.lock`;
  await takeRefLock(lock, change.clock ?? systemClock);
  try {
    const isExpected = !("expected" in change) || (await readRefFile(gitDirectory, ref)) === change.expected;
    // Git passes over names that end so.
    if (isExpected) await writeDurably(path, `${change.to}\n`, { half: `${path}.${createId()}.lock` });
    return isExpected;
  } finally {
    await rm(lock, { force: true });
  }
}

/** Does what needs the locks of refs. Where somebody who is gone has left one in the way, it is done again once that is old. */
export async function untilUnlocked(gitDirectory: string, clock: Clock, work: () => Promise<void>): Promise<void> {
  const giveUpMs = clock.now() + 2 * STALE_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if ((await sweepRefLocks(gitDirectory, clock.now())) === 0 || clock.now() >= giveUpMs) throw error;
      await clock.sleep(50);
    }
  }
}

export async function readRefFile(gitDirectory: string, ref: string): Promise<string | undefined> {
  const loose = await readFile(join(gitDirectory, ref), "utf8").catch(noneIfMissing);
  if (loose !== undefined) return loose.trim();
  return readPackedRefs(gitDirectory).idOf(ref);
}

/** A ref's lock is held for milliseconds, by git and by us; an old one belongs to nobody any more. */
const STALE_MS = 10_000;

/** Git's own lock file, in which Skein says who holds it: after a death nobody need wait until it is old. */
async function takeRefLock(lock: string, clock: Clock): Promise<void> {
  own ??= identify(process.pid).then((identity) => JSON.stringify(identity ?? {}));
  let seen: { readonly mtimeMs: number; readonly sinceMs: number } | undefined;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 50)) {
    // Made each time: git takes away a folder that has become empty.
    await makeFolder(dirname(lock));
    try {
      return await writeWhole(lock, await own);
    } catch (error) {
      if (!["EEXIST", "ENOENT"].includes(errorCode(error))) throw error;
    }
    const stats = await stat(lock).catch(() => undefined);
    if (stats && stats.mtimeMs !== seen?.mtimeMs) seen = { mtimeMs: stats.mtimeMs, sinceMs: clock.now() };
    // A file may be dated into the future: then it is old once it has been watched for as long.
    const bornMs = Math.min(stats?.mtimeMs ?? clock.now(), seen?.sinceMs ?? clock.now());
    const isDead = stats !== undefined && (clock.now() - bornMs > STALE_MS || (await isLeftByDead(lock)));
    if (isDead && (await stat(lock).catch(() => undefined))?.ino === stats.ino) await rm(lock, { force: true });
    else await clock.sleep(pauseMs);
  }
}

let own: Promise<string> | undefined;

/** Makes a file that is never seen without its content, unless there is one already. */
async function writeWhole(path: string, content: string): Promise<void> {
  const half = path.replace(/\.lock$/u, `.${createId()}.lock`);
  try {
    await writeFile(half, content, { flag: "wx", mode: PRIVATE_FILE });
    await link(half, path).catch(async (error: unknown) => {
      // Not every file system has links.
      if (!["EPERM", "ENOTSUP", "ENOSYS"].includes(errorCode(error))) throw error;
      await writeFile(path, content, { flag: "wx", mode: PRIVATE_FILE });
    });
  } finally {
    await rm(half, { force: true });
  }
}

/** Removes the locks of refs and of `packed-refs` that dead processes left, and what they had half written; gives their number. */
export async function sweepRefLocks(gitDirectory: string, nowMs: number): Promise<number> {
  const names = await readdir(join(gitDirectory, "refs"), { recursive: true }).catch(() => []);
  const beside = await readdir(gitDirectory);
  const all = [...beside, ...names.map((name) => join("refs", name))].filter((name) => name.endsWith(".lock"));
  // What was half written goes after the lock that it was written under.
  const locks = [...all.filter((name) => !HALF.test(name)), ...all.filter((name) => HALF.test(name))];
  for (const path of locks.map((name) => join(gitDirectory, name))) {
    const stats = await stat(path).catch(() => undefined);
    if (!stats) continue;
    const isHalf = HALF.test(path) && (await stat(path.replace(HALF, ".lock")).catch(() => undefined)) === undefined;
    if (isHalf || nowMs - stats.mtimeMs > STALE_MS || (await isLeftByDead(path))) await rm(path, { force: true });
  }
  return locks.length;
}

/** What is written while the lock is held, and renamed before it is let go of. */
const HALF = /\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.lock$/u;

async function isLeftByDead(lock: string): Promise<boolean> {
  const holder = parseProcessIdentity(await readFile(lock, "utf8").catch(() => ""));
  return holder !== undefined && !(await isRunning(holder));
}

function noneIfMissing(error: unknown): undefined {
  if (["ENOENT", "EISDIR", "ENOTDIR"].includes(errorCode(error))) return undefined;
  throw error;
}

/** Waits until what a git has written into a repository, packs and refs, is found there after a power cut. */
export async function syncPacksAndRefs(gitDirectory: string, refs: string): Promise<void> {
  await syncFolder(join(gitDirectory, "objects/pack"));
  await syncFolder(gitDirectory);
  let folder = gitDirectory;
  for (const part of refs.split("/").filter(Boolean)) {
    folder = join(folder, part);
    // All may be in `packed-refs`.
    if ((await readdir(folder).catch(() => undefined)) !== undefined) await syncFolder(folder);
  }
}
