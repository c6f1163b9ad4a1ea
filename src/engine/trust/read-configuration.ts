import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open, readFile, readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { SkeinError, claudeHome } from "../../core/internal.ts";

export type ConfigurationFile = ReadFile & { readonly place: string };

/** What the CLI keeps in `.claude` and does not load: whole checkouts, and notes that agents keep for themselves. */
const NOT_LOADED = ["worktrees", "agent-memory", "agent-memory-local"];

/** Reads all that the CLI may load from some folders, links followed, in a fixed order. The user's own configuration is not a folder's. */
export async function readConfiguration(
  places: readonly string[],
  reader: FileReader,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly ConfigurationFile[]> {
  const own = await realpath(claudeHome(env)).catch(() => "");
  const files: ConfigurationFile[] = [];
  for (const place of places) {
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
  // What only a namespace sees has no real path here, and can be read all the same.
  const real = await realpath(folder).catch(async () =>
    (await stat(folder).catch(() => undefined)) ? folder : undefined,
  );
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

/**
 * The folders whose configuration the CLI may load when it works in a directory: the directory, all above it, and the main
 * checkout of a linked worktree. More than the CLI reads today of each, so that none of its ways is missed.
 */
export async function configurationPlaces(directory: string): Promise<readonly string[]> {
  const above = new Set<string>();
  for (let folder = directory; !above.has(folder); folder = dirname(folder)) above.add(folder);
  const checkouts = await Promise.all([...above].map(mainCheckout));
  return [...new Set([...above, ...checkouts.flat()])];
}

/** Where the repository of a folder really lies, if its `.git` names another place. */
async function mainCheckout(folder: string): Promise<readonly string[]> {
  const link = resolve(folder, ".git");
  const found = await stat(link).catch(() => undefined);
  const named = found?.isDirectory() ? link : await readPath(link, /^gitdir:\s*(.+?)\s*$/mu, folder);
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

/** More than this is not a folder's configuration, and would take too long to look at. */
const MOST_FILES = 10_000;
const MOST_BYTES = 256 * 1024 * 1024;

export interface ReadFile {
  readonly path: string;
  readonly sha256: string;
  readonly text: string;
}

type FileReader = ReturnType<typeof createFileReader>;

/** Reads files, each once, within a limit for all of them together. */
export function createFileReader() {
  const files = new Map<string, ReadFile>();
  let bytes = 0;
  return {
    files,
    /** A regular file, links followed; undefined for anything else. */
    async read(path: string): Promise<ReadFile | undefined> {
      const known = files.get(path);
      if (known) return known;
      const content = await readRegular(path, MOST_BYTES - bytes);
      if (content === undefined) return undefined;
      bytes += content.length;
      if (files.size >= MOST_FILES) throw tooMuch(path);
      const sha256 = createHash("sha256").update(content).digest("hex");
      const file = { path, sha256, text: content.toString("utf8") };
      files.set(path, file);
      return file;
    },
  };
}

async function readRegular(path: string, most: number): Promise<Buffer | undefined> {
  // A pipe in the place of a file is not waited for.
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
  const found = await file?.stat();
  if (!found?.isFile()) return undefined;
  if (found.size > most) throw tooMuch(path);
  return await file?.readFile();
}

function tooMuch(path: string): SkeinError {
  return new SkeinError("The folder's configuration is too large to check, and is not trusted", {
    kind: "untrusted_folder",
    target: path,
    hint: `At most ${MOST_FILES} files and ${MOST_BYTES / 1024 / 1024} MB are checked`,
  });
}
