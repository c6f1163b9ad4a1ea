import { lstat, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { isInside } from "../core/internal.ts";
import { CONFIG_FILE } from "../engine/internal.ts";

/** How far up a configuration file is looked for. */
export interface FindConfigBounds {
  /** The folder that is never left, a real path. */
  readonly root?: string | undefined;
  /** The person's own folder, which configures nothing for what lies below it. */
  readonly userHome?: string | undefined;
}

/**
 * Finds the folder whose `skein.config.json` holds for a directory: itself, or the nearest above it. As git does, it looks no further than
 * the file system that the directory is on; nor than the top of a repository, or the folders below the person's own.
 */
export async function findConfigFolder(directory: string, bounds: FindConfigBounds = {}): Promise<string | undefined> {
  const { root, userHome = homedir() } = bounds;
  const personal = await realpath(userHome).catch(() => userHome);
  let folder = await realpath(directory);
  const { dev } = await stat(folder);
  while (!(await isThere(join(folder, CONFIG_FILE)))) {
    const above = dirname(folder);
    const isTop = above === folder || (await isThere(join(folder, ".git")));
    if (isTop || above === personal || (root !== undefined && !isInside(above, root))) return undefined;
    if ((await stat(above).catch(() => undefined))?.dev !== dev) return undefined;
    folder = above;
  }
  return folder;
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}
