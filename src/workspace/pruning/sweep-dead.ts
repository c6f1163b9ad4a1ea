import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Clock } from "../../core/internal.ts";
import { sweepLocks, tryLock } from "../../database/index.ts";
import { sweepRefLocks } from "../../git/index.ts";
import { type Repository, sweepHalfPacks, sweepRemains, sweepTemporary } from "../../snapshot/index.ts";
import { sweepHalfBases } from "../branches/bases.ts";
import { sweepHalfCopies } from "../branches/branch-copy.ts";
import { sweepBranches } from "../branches/sweep-branches.ts";

/** Clears away what killed processes left. Where that fails, as in a store that may only be read, whoever is in the way of it meets it again. */
export async function sweepDead(repository: Repository, clock: Clock): Promise<void> {
  const { home, gitDirectory } = repository;
  const sweeps = [
    () => sweepBranches(repository),
    () => sweepHalfBases(repository),
    () => sweepTemporary(home),
    () => sweepHalfCopies(repository),
    () => sweepRefLocks(gitDirectory, clock.now()),
    () => sweepHalfPacks(repository),
    () => sweepWriting(repository, clock),
    () => sweepLocks(home),
    () => sweepLocks(join(home, "processes")),
    () => sweepClaims(resolve(home, "../../writers")),
  ];
  for (const sweep of sweeps) await sweep().catch(() => undefined);
}

/** Who died while writing has left half of something, which nobody could tell any more once the lock is swept. */
async function sweepWriting(repository: Repository, clock: Clock): Promise<void> {
  const path = join(repository.home, "write.lock");
  if (!existsSync(path)) return;
  await using lock = await tryLock(path);
  if (lock?.tookOver) await sweepRemains(repository, clock.now());
}

/** Under the lock that everybody claims under: nobody may find a directory taken because its dead claim is being swept. */
async function sweepClaims(writers: string): Promise<void> {
  const names = await readdir(writers).catch(() => []);
  if (names.length === 0) return;
  await using lock = await tryLock(join(writers, "claims.lock"));
  if (!lock) return;
  await sweepLocks(writers);
  const notes = names.filter((name) => name.endsWith(".directory"));
  const dead = notes.filter((name) => !existsSync(join(writers, name.replace(/\.directory$/u, ""))));
  for (const name of dead) await rm(join(writers, name), { force: true });
}
