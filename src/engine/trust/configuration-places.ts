import { readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";

/**
 * The folders whose configuration the CLI may load when it works in a directory: the directory, all above it, and the main
 * checkout of a linked worktree. More than the CLI reads today of each, so that none of its ways is missed.
 */
export async function configurationPlaces(directory: string): Promise<readonly string[]> {
  const above = ancestorsOf(directory);
  const checkouts = await Promise.all(above.map(mainCheckout));
  return [...new Set([...above, ...checkouts.flat()])];
}

function ancestorsOf(directory: string): readonly string[] {
  const parent = dirname(directory);
  return parent === directory ? [directory] : [directory, ...ancestorsOf(parent)];
}

/** Where the repository of a folder really lies, if its `.git` names another place. */
async function mainCheckout(folder: string): Promise<readonly string[]> {
  const link = resolve(folder, ".git");
  const isFolder = await stat(link).then(
    (found) => found.isDirectory(),
    () => false,
  );
  const named = isFolder ? link : await readPath(link, /^gitdir:\s*(.+?)\s*$/mu, folder);
  if (named === undefined) return [];
  const common = (await readPath(resolve(named, "commondir"), /^(.+?)\s*$/u, named)) ?? named;
  const real = await realpath(common).catch(() => common);
  const root = basename(real) === ".git" ? dirname(real) : real;
  return root === folder ? [] : [root];
}

async function readPath(file: string, pattern: RegExp, from: string): Promise<string | undefined> {
  const text = await readFile(file, "utf8").catch(() => "");
  const path = pattern.exec(text)?.[1];
  return path === undefined ? undefined : resolve(from, path);
}
