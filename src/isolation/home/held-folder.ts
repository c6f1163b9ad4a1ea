import { lstat, mkdtemp, readdir, readFile, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { identify, isRunning, parseProcessIdentity } from "../../core/internal.ts";
import { removeTree, storageError } from "../../git/index.ts";

/**
 * Makes a temporary folder that belongs to this process, and whose end is known even if the process is killed, after removing those of
 * the same kind whose holders are gone. Only its user may look into it.
 */
export async function createHeldFolder(kind: string, parent: string = tmpdir()) {
  await sweepHeldFolders(kind, parent);
  try {
    const path = await realpath(await mkdtemp(join(parent, `skein-${kind}-${process.pid}-`)));
    await writeFile(join(path, "holder.json"), JSON.stringify(await identify(process.pid)), { mode: 0o600 });
    return { path, [Symbol.asyncDispose]: () => removeTree(path) };
  } catch (error) {
    throw storageError(`A folder for a ${kind} could not be made`, parent, error);
  }
}

/** Removes the folders of a kind that were left behind by processes that are gone. Gives their paths. */
export async function sweepHeldFolders(kind: string, parent: string = tmpdir()): Promise<readonly string[]> {
  // Whole names, as they are made above: somebody may call a folder of their own something like it.
  const pattern = new RegExp(`^skein-${kind}-\\d+-[A-Za-z0-9]{6}$`, "u");
  const names = (await readdir(parent).catch(() => [])).filter((name) => pattern.test(name));
  const removed: string[] = [];
  for (const path of names.map((name) => join(parent, name))) {
    if (!(await isOurs(path)) || (await isHeld(path))) continue;
    // Another process may be sweeping too.
    await removeTree(path).then(
      () => removed.push(path),
      () => undefined,
    );
  }
  return removed;
}

/** In a folder that everybody may write to, only what belongs to this user is touched, and no link is followed. */
async function isOurs(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isDirectory() === true && (process.getuid === undefined || stats.uid === process.getuid());
}

async function isHeld(path: string): Promise<boolean> {
  const holder = parseProcessIdentity(await readFile(join(path, "holder.json"), "utf8").catch(() => ""));
  if (holder) return await isRunning(holder);
  // Being made at this moment, or never finished: then the pid in its name says whose it is.
  const pid = /-(\d+)-[^-]*$/u.exec(path)?.[1];
  return pid !== undefined && (await identify(Number(pid))) !== undefined;
}
