import { readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { dataHome, isInside } from "../../core/internal.ts";
import { storeOf } from "../../snapshot/index.ts";

export interface ClosedStoreOptions {
  /** Whether it works in branches of the workspace, which lie in the data folder. */
  readonly inBranches?: boolean;
  /** The data folder; `SKEIN_HOME` or the platform's by default. */
  readonly home?: string;
}

/**
 * What of the data folder an agent in a directory has no business with: all records of this workspace and of every other. A branch
 * stays open, and with it the objects of its store, which the branch's repository borrows; so does what the CLI keeps there offline.
 */
export async function closedStore(directory: string, options: ClosedStoreOptions = {}): Promise<readonly string[]> {
  const home = await realpath(options.home ?? dataHome()).catch(() => undefined);
  if (home === undefined) return [];
  const real = await realpath(directory).catch(() => directory);
  const isBranch = options.inBranches === true || isInside(real, home);
  const store = await storeOf(real, home);
  const borrowed = isBranch ? [join(store.home, "branches"), join(store.gitDirectory, "objects")] : [];
  // A directory around the data folder does not open what is in it.
  return await allBut(
    home,
    [join(home, "offline"), real, ...borrowed].filter((path) => isInside(path, home)),
  );
}

/** What a branch's repository reads of the store that it was made from; nothing for a directory that is no branch. */
export async function borrowedObjects(directory: string, home = dataHome()): Promise<readonly string[]> {
  const [real, data] = await Promise.all([directory, home].map((path) => realpath(path).catch(() => path)));
  if (real === undefined || data === undefined || !isInside(real, data)) return [];
  return [join((await storeOf(real, data)).gitDirectory, "objects")];
}

/** A place, or all in it but for some paths: a denial has no exceptions. As few paths as can be. */
export async function allBut(folder: string, kept: readonly string[]): Promise<readonly string[]> {
  if (kept.some((path) => isInside(folder, path))) return [];
  if (!kept.some((path) => isInside(path, folder))) return [folder];
  const names = await readdir(folder).catch(() => []);
  return (await Promise.all(names.map((name) => allBut(join(folder, name), kept)))).flat();
}
