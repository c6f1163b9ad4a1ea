import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { claudeHome } from "../../core/index.ts";
import { configurationPlaces } from "./configuration-places.ts";
import type { FileReader, ReadFile } from "./file-reader.ts";

/** A file that the CLI may load as configuration. */
export interface ConfigurationFile extends ReadFile {
  /** The folder that it configures. */
  readonly place: string;
}

/** What the CLI keeps in `.claude` and does not load: whole checkouts, and notes that agents keep for themselves. */
const NOT_LOADED = ["worktrees", "agent-memory", "agent-memory-local"];

/** Reads all that the CLI may load in a directory, links followed, in a fixed order. The user's own configuration is not a folder's. */
export async function readConfiguration(
  directory: string,
  reader: FileReader,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly ConfigurationFile[]> {
  const own = await realpath(claudeHome(env)).catch(() => "");
  const files: ConfigurationFile[] = [];
  for (const place of await configurationPlaces(directory)) {
    const paths = [join(place, ".mcp.json"), ...(await filesBelow(join(place, ".claude"), new Set([own]), NOT_LOADED))];
    for (const path of paths) {
      const file = await reader.read(path);
      if (file) files.push({ ...file, place });
    }
  }
  return files;
}

/** All files below a folder, sorted, without what has one of these names at its top. A folder that links lead to twice is looked at once. */
export async function filesBelow(
  folder: string,
  seen: Set<string> = new Set(),
  leftOut: readonly string[] = [],
): Promise<readonly string[]> {
  const real = await realpath(folder).catch(() => undefined);
  if (real === undefined || seen.has(real)) return [];
  seen.add(real);
  const names = await readdir(folder).catch(() => []);
  const found: string[] = [];
  for (const name of names.filter((each) => !leftOut.includes(each)).toSorted()) {
    const path = join(folder, name);
    const kind = await stat(path).catch(() => undefined);
    if (kind?.isDirectory()) found.push(...(await filesBelow(path, seen)));
    else if (kind?.isFile()) found.push(path);
  }
  return found;
}
