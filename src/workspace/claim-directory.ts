import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Clock, isInside, PRIVATE_FILE, PRIVATE_FOLDER, SkeinError } from "../core/internal.ts";
import { type HeldLock, holdsLock, isLocked, LockHeldError, takeLock } from "../database/index.ts";
import { storageError } from "../git/index.ts";
import type { Repository } from "../snapshot/index.ts";

/** A directory inside of it or around it that is taken counts too, since both would write the same files. */
export async function claimDirectory(
  repository: Repository,
  directory: string,
  // Not at all by default, for a turn takes minutes.
  { clock, waitMs = 0 }: { readonly clock: Clock; readonly waitMs?: number },
): Promise<HeldLock> {
  const giveUpMs = clock.now() + waitMs;
  for (;;) {
    try {
      return await tryClaim(repository, directory, clock);
    } catch (error) {
      const isTaken = error instanceof SkeinError && error.kind === "workspace_busy";
      if (!isTaken) throw storageError("The directory could not be locked", directory, error);
      if (clock.now() >= giveUpMs) throw error;
      await clock.sleep(PAUSE_MS);
    }
  }
}

const PAUSE_MS = 50;

async function tryClaim(repository: Repository, directory: string, clock: Clock): Promise<HeldLock> {
  const writers = writersFolder(repository);
  await mkdir(writers, PRIVATE_FOLDER);
  // Whoever claims looks around under this lock, so that of two that overlap one sees the other.
  await using _ = await takeLock(join(writers, "claims.lock"), { clock });
  const other = await findOverlap(writers, directory, skeinHome(repository));
  if (other !== undefined) throw isBusy(directory, other, "another process");
  const place = claimPlace(repository, directory);
  const lock = await takeLock(place, { clock, waitMs: -1 }).catch((error: unknown) => {
    throw error instanceof LockHeldError ? isBusy(directory, directory, error.holder, error) : error;
  });
  const note = `${place}.directory`;
  // Only for those that overlap: a full disk keeps nobody from freeing it.
  await writeFile(note, directory, { mode: PRIVATE_FILE }).catch(() => undefined);
  return {
    tookOver: lock.tookOver,
    async [Symbol.asyncDispose]() {
      await rm(note, { force: true }).catch(() => undefined);
      await lock[Symbol.asyncDispose]();
    },
  };
}

/** Whether a turn or a restore of another process has a directory now, in whatever container or machine that shares the store. */
export async function isClaimedElsewhere(repository: Repository, directory: string): Promise<boolean> {
  const place = claimPlace(repository, directory);
  return !holdsLock(place) && (await isLocked(place));
}

/** All stores have this folder together: directories overlap whosever they are. */
function writersFolder(repository: Repository): string {
  return join(skeinHome(repository), "writers");
}

function skeinHome({ home }: Repository): string {
  return resolve(home, "../..");
}

function claimPlace(repository: Repository, directory: string): string {
  const name = createHash("sha256").update(directory).digest("hex").slice(0, 32);
  return join(writersFolder(repository), `${name}.lock`);
}

/** A directory that is taken and lies in this one, or holds it. Claims that nobody holds any more are forgotten on the way. */
async function findOverlap(writers: string, directory: string, skein: string): Promise<string | undefined> {
  const names = (await readdir(writers)).filter((name) => name.endsWith(".directory"));
  for (const path of names.map((name) => join(writers, name))) {
    const other = await readFile(path, "utf8").catch(() => "");
    if (!(await isLocked(path.replace(/\.directory$/u, "")))) await rm(path, { force: true });
    else if (other !== directory && overlaps(other, directory, skein)) return other;
  }
  return undefined;
}

/** Branches lie below Skein's own folder, which is no part of a workspace that happens to hold it. */
function overlaps(left: string, right: string, skein: string): boolean {
  const [outer, inner] = left.length < right.length ? [left, right] : [right, left];
  return isInside(inner, outer) && !(isInside(inner, skein) && !isInside(outer, skein));
}

function isBusy(directory: string, other: string, who: string, cause?: unknown): SkeinError {
  const where = other === directory ? directory : `${other}, which overlaps ${directory}`;
  return new SkeinError(`A turn or a restore is running in ${where} (${who})`, {
    kind: "workspace_busy",
    target: directory,
    retryable: true,
    hint: "Wait until it ends, or work in a branch: skein branch @",
    cause,
  });
}
