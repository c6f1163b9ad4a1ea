import { createHash } from "node:crypto";
import { lstat, mkdir, readdir, rename, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createId, PRIVATE_FILE, PRIVATE_FOLDER, systemClock } from "../../core/index.ts";
import type { Repository } from "../store/repository.ts";
import { formatIndex, INDEX_SECONDS, type Shadow } from "./shadow-index.ts";
import type { FolderNode } from "../scan/tree-node.ts";

/**
 * Writes the index of a tree under a name that is used once; undefined where it would be of no use, or could not be
 * written. `token` ties it to something that was written from the same tree.
 */
export async function writeShadow(
  repository: Repository,
  directory: string,
  {
    root,
    fewFiles,
    token = createId(),
  }: { readonly root: FolderNode; readonly fewFiles: number; readonly token?: string },
): Promise<Shadow | undefined> {
  // A few files are looked at sooner than git is started.
  if (countNodes(root) < fewFiles) return undefined;
  const shadow = shadowFor(repository, directory, { root, token });
  const { content, files, trusted } = formatIndex(root, shadow.sentinel);
  // Young files have to be looked at anyhow.
  if (trusted * 2 < files) return undefined;
  const half = `${shadow.path}.half`;
  try {
    await mkdir(join(repository.home, "index"), PRIVATE_FOLDER);
    await writeFile(half, content, { mode: PRIVATE_FILE });
    await utimes(half, INDEX_SECONDS, INDEX_SECONDS);
    const isKept = Math.floor((await lstat(half)).mtimeMs / 1000) === INDEX_SECONDS;
    if (isKept) await rename(half, shadow.path);
    else await rm(half, { force: true });
    return isKept ? shadow : undefined;
  } catch {
    await rm(half, { force: true }).catch(() => undefined);
    return undefined;
  }
}

/** Finds the index that was written with this token from this tree. */
export async function findShadow(
  repository: Repository,
  directory: string,
  written: { readonly root: FolderNode; readonly token: string },
): Promise<Shadow | undefined> {
  const shadow = shadowFor(repository, directory, written);
  const stats = await lstat(shadow.path).catch(() => undefined);
  return stats?.isFile() && Math.floor(stats.mtimeMs / 1000) === INDEX_SECONDS ? shadow : undefined;
}

/** Removes an index that is not used any more. */
export async function removeShadow(shadow: Shadow): Promise<void> {
  await rm(shadow.path, { force: true }).catch(() => undefined);
}

/** Removes a directory's other indexes but the youngest; whoever still goes by one looks at every file again. */
export async function sweepShadows(repository: Repository, directory: string, kept: Shadow | undefined): Promise<void> {
  const folder = join(repository.home, "index");
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    if (!name.startsWith(keyOf(directory)) || path === kept?.path) continue;
    const stats = await lstat(path).catch(() => undefined);
    if (stats && stats.ctimeMs < systemClock.now() - MINUTE_MS) await rm(path, { force: true }).catch(() => undefined);
  }
}

function countNodes(root: FolderNode): number {
  return [...root.modes.values()].reduce((sum, count) => sum + count, 0);
}

const MINUTE_MS = 60_000;

function shadowFor(
  { home }: Repository,
  directory: string,
  { root, token }: { readonly root: FolderNode; readonly token: string },
): Shadow {
  return { path: join(home, "index", `${keyOf(directory)}-${token}`), root, sentinel: `~skein-${token}` };
}

function keyOf(directory: string): string {
  return createHash("sha256").update(directory).digest("hex").slice(0, 32);
}
