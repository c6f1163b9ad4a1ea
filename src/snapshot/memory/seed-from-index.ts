import { homedir } from "node:os";
import { join } from "node:path";
import {
  type BytePath,
  findUserRepository,
  lookAt,
  readSeenIndex,
  type SeenEntry,
  readSmallFile,
  runGit,
  toBytePath,
  toSystemPath,
  type UserRepository,
} from "../../git/index.ts";
import type { FoundFile } from "../capture/scan-tree.ts";
import { hasSnapshots } from "../store/pack-store.ts";
import type { Repository } from "../store/repository.ts";
import { type HeldObjects, MOST_BYTES, takeOwnObjects } from "../user-git/staged-blobs.ts";

/** Knows what is in a directory without reading it, as the user's own index may. */
export interface Seed {
  /** The id of a found file's content, which the store holds. */
  contentOf(file: FoundFile): string | undefined;
  /** Objects that the store holds since, among them trees of folders. */
  readonly copied?: ReadonlySet<string>;
  /** To be called with all attribute files that are there, before it is asked: by them a file may be another than what is stored. */
  goBy?(attributes: readonly BytePath[]): Promise<void>;
}

/** Makes a first snapshot cheap: a file that looks as it did to the user's git is not read, but copied from its objects. */
export async function seedFromIndex(repository: Repository, directory: string): Promise<Seed | undefined> {
  // Once an agent may have worked there, or in a branch, objects are no longer taken on trust.
  if (directory !== repository.workspace || hasSnapshots(repository)) return undefined;
  const user = findUserRepository(directory);
  if (!user || hasOtherAttributes(user)) return undefined;
  // A convenience: an index that cannot be read, or objects that cannot be had, only mean that files are read.
  try {
    const seen = readEntries(join(user.gitDirectory, "index"));
    if (!seen) return undefined;
    const { entries, attributes, oids } = seen;
    const root = toBytePath(directory);
    // Git goes by attributes that are in the index alone too: they were in force when a file was read, and cannot be asked for here.
    const areThere = attributes.every((path) => lookAt(toSystemPath(`${root}/${path}`)));
    if (!areThere) return undefined;
    const leaveFiltered = async (): Promise<void> => {
      for (const path of await filteredPaths(repository, directory, entries)) entries.delete(path);
    };
    const [held] = await Promise.all([
      takeOwnObjects(repository, user, { oids, areSmall: true }),
      attributes.length > 0 ? leaveFiltered() : undefined,
    ]);
    return {
      contentOf: (file) => match(file, entries.get(file.path), held),
      copied: held.copied,
      async goBy(found) {
        if (found.every((path) => attributes.includes(path))) return;
        await leaveFiltered().catch(() => entries.clear());
      },
    };
  } catch {
    return undefined;
  }
}

function readEntries(path: string) {
  const stats = lookAt(path);
  const index = stats?.isFile() ? readSmallFile(path, MOST_INDEX_BYTES) : undefined;
  const seen = index && readSeenIndex(index);
  if (!stats || !seen) return undefined;
  const entries = new Map<BytePath, SeenEntry>();
  const attributes: BytePath[] = [];
  const oids = new Set(seen.treeIds);
  for (const entry of seen.entries) {
    if (ATTRIBUTES.test(entry.path)) attributes.push(entry.path);
    // As young as the index itself: it may have changed again after git had looked.
    if (entry.isUnmerged || entry.mtimeMs >= stats.mtimeMs || entry.ctimeMs >= stats.mtimeMs) continue;
    const kind = entry.mode & KIND;
    if ((kind !== REGULAR && kind !== LINK) || entry.size > MOST_BYTES) continue;
    entries.set(entry.path, entry);
    oids.add(entry.oid);
  }
  return { entries, attributes, oids: [...oids] };
}

const KIND = 0o170000;
const REGULAR = 0o100000;
const LINK = 0o120000;

const MOST_INDEX_BYTES = 256 * 1024 * 1024;

const ATTRIBUTES = /(?:^|\/)\.gitattributes$/;

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

function match(
  { look: { kind, stat } }: FoundFile,
  entry: SeenEntry | undefined,
  held: HeldObjects,
): string | undefined {
  if (!entry || ((entry.mode & KIND) === LINK) !== (kind === "symlink")) return undefined;
  const isSame =
    entry.ctimeMs === stat.ctimeMs &&
    entry.mtimeMs === stat.mtimeMs &&
    entry.size === stat.size % 2 ** 32 &&
    entry.ino === stat.ino % 2 ** 32;
  return isSame && held.blobSize(entry.oid) === stat.size ? entry.oid : undefined;
}
