import { chmod, lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

/** How a folder is made that only its owner may look into; its parents too, where they are missing. */
export const PRIVATE_FOLDER = { recursive: true, mode: 0o700 } as const;

/** The mode of a file that only its owner may read: what agents were told and did is nobody else's. */
export const PRIVATE_FILE = 0o600;

/** Below these lies one folder for each workspace or home of Claude Code's; all else is in a folder of the first level. */
const COLLECTIONS = ["workspaces", "transcripts"];

const OTHERS = 0o077;

/** The folders of a data home, as versions before 0700 made them, that let other users of the machine reach what is kept. */
export async function findOpenFolders(home: string): Promise<readonly string[]> {
  // Elsewhere the mode of a folder says nothing about who may read it.
  if (process.platform === "win32") return [];
  const lists = await Promise.all(["", ...COLLECTIONS].map((name) => foldersIn(join(home, name))));
  const modes = await Promise.all([home, ...lists.flat()].map(async (path) => ({ path, mode: await modeOf(path) })));
  return modes.filter(({ mode }) => (mode & OTHERS) !== 0).map(({ path }) => path);
}

export async function closeFolders(paths: readonly string[]): Promise<void> {
  for (const path of paths) await chmod(path, (await modeOf(path)) & ~OTHERS);
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(folder, entry.name));
}

async function modeOf(path: string): Promise<number> {
  const found = await lstat(path).catch(() => undefined);
  return (found?.mode ?? 0) & 0o7777;
}
