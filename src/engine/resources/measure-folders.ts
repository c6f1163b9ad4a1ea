import { lstat, readdir } from "node:fs/promises";
import { join, sep } from "node:path";

/** What `blocks` counts, whatever the file system's own blocks are. */
const BLOCK_BYTES = 512;

/** How many bytes folders take on the disk together; one that lies in another counts once, and what goes away meanwhile does not. */
export async function measureFolders(folders: readonly string[]): Promise<number> {
  const outermost = folders.filter(
    (folder, index) =>
      folders.indexOf(folder) === index &&
      !folders.some((other) => other !== folder && folder.startsWith(other.endsWith(sep) ? other : other + sep)),
  );
  const sizes = await Promise.all(outermost.map(measure));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function measure(path: string): Promise<number> {
  const stats = await lstat(path).catch(() => undefined);
  if (!stats) return 0;
  let bytes = stats.blocks * BLOCK_BYTES;
  if (!stats.isDirectory()) return bytes;
  for (const name of await readdir(path).catch(() => [])) bytes += await measure(join(path, name));
  return bytes;
}
