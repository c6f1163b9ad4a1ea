import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

/** What below a folder others than the owner may read, write or enter, as paths in it with their modes; `passOver` is not looked into. */
export async function openEntries(
  root: string,
  passOver: (path: string) => boolean = () => false,
): Promise<readonly string[]> {
  const names = await readdir(root, { recursive: true });
  const found = await Promise.all(
    ["", ...names]
      .filter((name) => !passOver(name))
      .map(async (name) => ({ name, stats: await lstat(join(root, name)) })),
  );
  return found
    .filter(({ stats }) => !stats.isSymbolicLink() && (stats.mode & 0o077) !== 0)
    .map(({ name, stats }) => `${(stats.mode & 0o777).toString(8)} ${name}`);
}
