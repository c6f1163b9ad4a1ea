import { lstat, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { getuid } from "node:process";
import { isInside } from "../core/internal.ts";
import { CONFIG_FILE, openTrustStore } from "../engine/internal.ts";

/** How far up a configuration file is looked for. */
export interface FindConfigBounds {
  /** The folder that is never left, a real path. */
  readonly root?: string | undefined;
  /** The person's own folder, which configures nothing for what lies below it. */
  readonly userHome?: string | undefined;
}

/**
 * Finds the folder whose `skein.config.json` holds for a directory, or did until somebody took it away: itself, or the nearest above it. As
 * git does, it looks no further than the file system that the directory is on; nor than the top of a repository, or the folders below the
 * person's own. A file that a stranger has put above, as in `/tmp`, is none.
 */
export async function findConfigFolder(directory: string, bounds: FindConfigBounds = {}): Promise<string | undefined> {
  const { root, userHome = homedir() } = bounds;
  const personal = await realpath(userHome).catch(() => userHome);
  let folder = await realpath(directory);
  const { dev, uid } = await stat(folder);
  // Of the directory itself, what is there counts: it was chosen.
  let owners: readonly number[] | undefined;
  while (!(await configures(folder, owners))) {
    owners = [0, uid, getuid?.() ?? uid];
    const above = dirname(folder);
    const isTop = above === folder || (await isThere(join(folder, ".git")));
    if (isTop || above === personal || (root !== undefined && !isInside(above, root))) return undefined;
    if ((await stat(above).catch(() => undefined))?.dev !== dev) return undefined;
    folder = above;
  }
  return folder;
}

/** Whether a folder has the file, of one of these owners, or was trusted with one. */
async function configures(folder: string, owners: readonly number[] | undefined): Promise<boolean> {
  const found = await lstat(join(folder, CONFIG_FILE)).catch(() => undefined);
  if (found) return owners?.includes(found.uid) ?? true;
  return await openTrustStore().hasTrustedConfig(folder);
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}
