import { homedir } from "node:os";
import { join } from "node:path";
import {
  type BytePath,
  findUserRepository,
  joinBytePath,
  leadingFolders,
  lookAt,
  readSeenEntries,
  readSmallFile,
  runGit,
  toBytePath,
  toSystemPath,
  type UserRepository,
} from "../../git/index.ts";
import type { FoundFile } from "../capture/scan-tree.ts";
import type { StatKey } from "../capture/tree-node.ts";
import { hasSnapshots } from "../store/pack-store.ts";
import type { Repository } from "../store/repository.ts";
import { takeOwnBlobs } from "../user-git/staged-blobs.ts";

/** Knows the content of a file that was found, where the user's own index does. */
export type Seed = (file: FoundFile) => string | undefined;

/** Makes a first snapshot cheap: a file that looks as it did to the user's git is not read, but copied from its objects. */
export async function seedFromIndex(repository: Repository, directory: string): Promise<Seed | undefined> {
  // Once an agent may have worked there, or in a branch, objects are no longer taken on trust.
  if (directory !== repository.workspace || hasSnapshots(repository)) return undefined;
  const user = findUserRepository(directory);
  if (!user || hasOtherAttributes(user)) return undefined;
  // A convenience: an index that cannot be read, or objects that cannot be had, only mean that files are read.
  try {
    const { entries, attributes } = readEntries(join(user.gitDirectory, "index")) ?? {};
    const root = toBytePath(directory);
    // Git goes by attributes that are in the index alone too: they were in force when a file was read, and cannot be asked for here.
    const areThere = attributes?.every((path) => lookAt(toSystemPath(`${root}/${path}`)));
    if (!entries || !areThere) return undefined;
    if (hasAttributes(root, entries)) {
      for (const path of await filteredPaths(repository, directory, entries)) entries.delete(path);
    }
    const oids = [...new Set([...entries.values()].map(({ oid }) => oid))];
    const sizes = await takeOwnBlobs(repository, user, oids);
    return (file) => match(file, entries.get(file.path), sizes);
  } catch {
    return undefined;
  }
}

interface SeenFile extends Pick<StatKey, "ctimeMs" | "mtimeMs" | "ino" | "size"> {
  readonly isLink: boolean;
  readonly oid: string;
}

function readEntries(path: string) {
  const stats = lookAt(path);
  const index = stats?.isFile() ? readSmallFile(path, MOST_INDEX_BYTES) : undefined;
  const seen = index && readSeenEntries(index);
  if (!stats || !seen) return undefined;
  const entries = new Map<BytePath, SeenFile>();
  for (const { path: name, mode, oid, look, isUnmerged } of seen) {
    const [cs = 0, cn = 0, ms = 0, mn = 0, , ino = 0, , , size = 0] = look;
    const mtimeMs = ms * 1000 + mn / 1e6;
    const ctimeMs = cs * 1000 + cn / 1e6;
    // As young as the index itself: it may have changed again after git had looked.
    if (isUnmerged || mtimeMs >= stats.mtimeMs || ctimeMs >= stats.mtimeMs) continue;
    const kind = mode & 0o170000;
    if (kind === 0o100000 || kind === 0o120000) {
      entries.set(name, { isLink: kind === 0o120000, oid, ctimeMs, mtimeMs, ino, size });
    }
  }
  return { entries, attributes: seen.map(({ path: name }) => name).filter((name) => ATTRIBUTES.test(name)) };
}

const MOST_INDEX_BYTES = 256 * 1024 * 1024;

const ATTRIBUTES = /(?:^|\/)\.gitattributes$/;

function hasAttributes(root: BytePath, entries: ReadonlyMap<BytePath, unknown>): boolean {
  const folders = ["", ...leadingFolders(entries.keys())];
  return folders.some((folder) => lookAt(toSystemPath(`${root}/${joinBytePath(folder, ".gitattributes")}`)));
}

/** Attributes outside of the tree may name filters that we do not see. */
function hasOtherAttributes({ commonDirectory }: UserRepository): boolean {
  const config = process.env["XDG_CONFIG_HOME"] || join(homedir(), ".config");
  const places = [join(commonDirectory, "info", "attributes"), join(config, "git", "attributes")];
  return places.some((path) => lookAt(path) !== undefined);
}

/** What a filter made is not what is in the file. Other conversions, of line ends and the like, show in the size. */
async function filteredPaths({ gitDirectory }: Repository, directory: string, entries: ReadonlyMap<BytePath, unknown>) {
  const input = Buffer.from([...entries.keys()].map((path) => `${path}\0`).join(""), "latin1");
  const args = ["check-attr", "-z", "--stdin", "filter", "ident", "working-tree-encoding"];
  const settings = ["core.bare=false"];
  const output = await runGit({ gitDirectory, workTree: directory, cwd: directory, settings, args, input });
  const fields = output.toString("latin1").split("\0");
  const paths: BytePath[] = [];
  for (let index = 0; index + 2 < fields.length; index += 3) {
    const value = fields[index + 2];
    if (value !== "unspecified" && value !== "unset") paths.push(fields[index] ?? "");
  }
  return paths;
}

function match({ stats }: FoundFile, entry: SeenFile | undefined, sizes: ReadonlyMap<string, number>) {
  if (!entry || entry.isLink !== stats.isSymbolicLink() || sizes.get(entry.oid) !== stats.size) return undefined;
  const isSame =
    entry.ctimeMs === stats.ctimeMs &&
    entry.mtimeMs === stats.mtimeMs &&
    entry.size === stats.size % 2 ** 32 &&
    entry.ino === stats.ino % 2 ** 32;
  return isSame ? entry.oid : undefined;
}
