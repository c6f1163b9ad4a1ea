import { lstat, readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { filterAsync, type ErrorKind } from "../../core/internal.ts";
import { sweepLocks, takeLock } from "../../database/index.ts";
import { listRefs, readJsonFile, runGit, storageError, sweepRefLocks, untilUnlocked } from "../../git/index.ts";
import { dropAges, readSnapshotTimes, SNAPSHOTS, sweepRemains } from "../../snapshot/index.ts";
import { isOrphan } from "../branches/sweep-branches.ts";
import { sweepHalfRestores } from "../restore/half-restore.ts";
import { deleteRefs, tidyRemoved } from "../states/removed-states.ts";
import { BRANCHES, listAllRefs } from "../states/state-refs.ts";
import type { Workspace } from "../workspace.ts";
import { freeUnwritten } from "./free-space.ts";

interface Pruning {
  readonly refs: readonly string[];
  /** The disk may have no room for the store to be packed anew: what takes none to be removed goes first. */
  readonly isTight: boolean;
  /** Takes the steps that write something. */
  readonly attempts: ReturnType<typeof createAttempts>;
}

/** Nothing of the last day is removed. Gives false where there was no space to remove the names. */
export async function pruneStore(workspace: Workspace, { refs, isTight, attempts }: Pruning): Promise<boolean> {
  const { gitDirectory, home, clock } = workspace;
  await using _ = await takeLock(join(home, "write.lock"), { clock });
  // An old one would stop git.
  await sweepRefLocks(gitDirectory, clock.now());
  const folders = [home, join(home, "processes"), join(home, "../../writers")];
  for (const folder of folders) await sweepLocks(folder);
  await sweepHalfRestores(workspace);
  for (const folder of (await readBranchNotes(workspace)).dead) await rm(folder, { recursive: true, force: true });
  const areGone = await attempts.take("The names could not be removed", async () => {
    const going = refs.map((ref) => ({ ref }));
    await untilUnlocked(gitDirectory, clock, () => deleteRefs(gitDirectory, going));
    await dropAges(home, new Set((await listRefs(gitDirectory, SNAPSHOTS)).keys()));
  });
  if (isTight) await freeUnwritten(workspace);
  const isPacked = await attempts.take("The store could not be repacked", async () => {
    // What a turn that runs now has written is named by nothing yet: a day is longer than any.
    await runGit({ gitDirectory, args: ["repack", "-A", "-d", "-q", "--unpack-unreachable=1.day.ago"] });
  });
  if (!isPacked) await sweepRemains(workspace, clock.now());
  await runGit({ gitDirectory, args: ["prune", "--expire=1.day.ago"] });
  await attempts.take("The notes on removed states could not be merged", () =>
    untilUnlocked(gitDirectory, clock, () => tidyRemoved(gitDirectory)),
  );
  return areGone;
}

/** Between a snapshot and the state that is made of it there is less than this. */
const TURN_MS = 3_600_000;

export async function storeBytes({ gitDirectory }: Workspace): Promise<number> {
  const output = (await runGit({ gitDirectory, args: ["count-objects", "-v"] })).toString("latin1");
  const read = (name: string): number => Number(new RegExp(`^${name}: (\\d+)`, "mu").exec(output)?.[1] ?? 0);
  return (read("size") + read("size-pack")) * 1024;
}

/** How many bytes would be freed if these names were gone: of what nothing else leads to. */
export async function bytesOnlyIn(workspace: Workspace, refs: readonly string[]): Promise<number> {
  const { gitDirectory } = workspace;
  if (refs.length === 0) return 0;
  const all = [...(await listAllRefs(gitDirectory)).keys()];
  const removed = new Set(refs);
  const kept = [...all.filter((ref) => !removed.has(ref)), ...((await workspace.states.head()) ? ["HEAD"] : [])];
  const input = [...refs, ...kept.map((ref) => `^${ref}`)];
  const args = ["rev-list", "--objects", "--disk-usage", "--stdin"];
  return Number((await runGit({ gitDirectory, args, input })).toString("latin1").trim());
}

/** The snapshots that were not taken lately and that no directory's memory goes by. */
export async function oldSnapshots(
  { gitDirectory, home, clock }: Workspace,
  keepMs: number,
): Promise<readonly string[]> {
  const inUse = await rememberedIds(home);
  const timeOf = await readSnapshotTimes({ home, gitDirectory });
  const old = await filterAsync((await listRefs(gitDirectory, SNAPSHOTS)).keys(), async (id) => {
    const takenMs = (await timeOf(id)) ?? Infinity;
    return takenMs < clock.now() - Math.max(keepMs, TURN_MS) && !inUse.has(id);
  });
  return old.map((id) => `${SNAPSHOTS}${id}`);
}

/** The branches whose directories are gone, or were to be removed by a process that is. */
export async function deadBranches(workspace: Workspace): Promise<readonly string[]> {
  // Before the notes: a branch is noted before it has a ref.
  const branches = [...(await listRefs(workspace.gitDirectory, BRANCHES)).keys()];
  const { alive } = await readBranchNotes(workspace);
  return branches.filter((branch) => !alive.has(branch)).map((branch) => `${BRANCHES}${branch}`);
}

/** The names of the branches whose directories are there, and the folders in which the others are noted. */
async function readBranchNotes({ home, origin }: Workspace) {
  const alive = new Set<string>();
  const dead: string[] = [];
  for (const name of await readdir(dirname(home)).catch(() => [])) {
    const folder = join(dirname(home), name);
    const note = await readJsonFile(join(folder, "workspace.json"), BranchNote);
    if (note?.branchOf.path !== origin) continue;
    const { path, branchOf } = note;
    const isThere = (await lstat(path).catch(() => undefined)) !== undefined;
    if (isThere && !(await isOrphan(path))) alive.add(branchOf.branch);
    else dead.push(folder);
  }
  return { alive, dead };
}

const BranchNote = z.object({ path: z.string(), branchOf: z.object({ path: z.string(), branch: z.string() }) });

async function rememberedIds(home: string): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (const name of await readdir(join(home, "memory")).catch(() => [])) {
    const text = await readFile(join(home, "memory", name), "latin1").catch(() => "");
    const id = /"id":"([0-9a-f]{40})"/u.exec(text.slice(0, 400))?.[1];
    if (id !== undefined) ids.add(id);
  }
  return ids;
}

export interface NotDone {
  readonly what: string;
  readonly kind: ErrorKind;
  readonly message: string;
}

/** Steps each of which is left out where the disk has no space for it; what else goes wrong is thrown. */
export function createAttempts(target: string) {
  const notDone: NotDone[] = [];
  return {
    notDone,
    /** Takes a step; gives false where there was no space. */
    async take(what: string, step: () => Promise<unknown>): Promise<boolean> {
      try {
        await step();
        return true;
      } catch (cause) {
        const error = storageError(what, target, cause);
        if (error.kind !== "resource_exhausted") throw error;
        const message = cause === error ? `${what}: ${error.message}` : error.message;
        notDone.push({ what, kind: error.kind, message });
        return false;
      }
    },
  };
}
