import { readdir, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { dataHome, isInside } from "../../core/internal.ts";
import { lookAt } from "../../git/index.ts";
import { hasStore, readDescription, place } from "../../snapshot/index.ts";

interface Bounds {
  /** Skein's home. */
  readonly home?: string | undefined;
  /** The folder that is never left, a real path. */
  readonly root?: string | undefined;
  /** The person's own folder, which is never taken for a workspace of what lies below it. */
  readonly userHome?: string | undefined;
}

/**
 * Finds the recorded workspace, or branch, that a directory lies in: itself, or the nearest above it. As git does, it looks no further than the
 * file system that the directory is on; nor than the top of a repository, or the folders below the person's own. Nothing is made.
 */
export async function findRecorded(directory: string, bounds: Bounds = {}): Promise<string | undefined> {
  const { home = dataHome(), root, userHome = homedir() } = bounds;
  const start = await realpath(directory);
  const personal = await realpath(userHome).catch(() => userHome);
  const { dev } = await stat(start);
  let folder = start;
  while (!(await isRecorded(folder, home))) {
    const above = dirname(folder);
    const isTop = above === folder || lookAt(join(folder, ".git")) !== undefined;
    if (isTop || above === personal || (root !== undefined && !isInside(above, root))) return undefined;
    const found = await stat(above).catch(() => undefined);
    if (found?.dev !== dev) return undefined;
    folder = above;
  }
  return folder;
}

/** Whether a directory has a state with a name, or is a branch; a store that was only begun is no reason to work in it from below. */
async function isRecorded(path: string, home: string): Promise<boolean> {
  const { home: folder, gitDirectory } = place(home, path);
  if ((await readDescription(folder))?.branchOf) return true;
  if (!hasStore(folder)) return false;
  if (lookAt(join(gitDirectory, "packed-refs"))) return true;
  const named = ["conversations", "checkpoints"].map((each) => readdir(join(gitDirectory, "refs/skein", each)));
  const names = await Promise.all(named.map((reading) => reading.catch(() => [])));
  return names.flat().length > 0;
}
