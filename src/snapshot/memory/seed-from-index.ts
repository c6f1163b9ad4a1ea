import { homedir } from "node:os";
import { join } from "node:path";
import { type BytePath, findUserRepository, lookAt, runGit, type UserRepository } from "../../git/index.ts";
import type { FoundFile } from "../capture/scan-tree.ts";
import type { StatKey } from "../capture/tree-node.ts";
import type { Repository } from "../store/repository.ts";
import { takeOwnBlobs } from "../user-git/staged-blobs.ts";

/** Knows the content of a file that was found, where the user's own index does. */
export type Seed = (file: FoundFile) => string | undefined;

/** Makes a first snapshot cheap: a file that looks as it did to the user's git is not read, but copied from its objects. */
export async function seedFromIndex(repository: Repository, directory: string): Promise<Seed | undefined> {
  // Once an agent may have worked there, or in a branch, objects are no longer taken on trust.
  if (directory !== repository.workspace || hasSnapshots(repository)) return undefined;
  const user = findUserRepository(directory);
  const index = user && lookAt(join(user.gitDirectory, "index"));
  if (!user || !index?.isFile() || hasOtherAttributes(user)) return undefined;
  // A convenience: an index that cannot be read, or objects that cannot be had, only mean that files are read.
  try {
    const entries = await readEntries(repository, user, index.mtimeMs);
    for (const path of await filteredPaths(repository, directory, entries)) entries.delete(path);
    const oids = [...new Set([...entries.values()].map(({ oid }) => oid))];
    const sizes = await takeOwnBlobs(repository, user, oids);
    return (file) => match(file, entries.get(file.path), sizes);
  } catch {
    return undefined;
  }
}

function hasSnapshots({ gitDirectory }: Repository): boolean {
  return ["refs/skein/snapshots", "packed-refs"].some((path) => lookAt(join(gitDirectory, path)) !== undefined);
}

interface SeenFile extends Pick<StatKey, "ctimeMs" | "mtimeMs" | "ino" | "size"> {
  readonly isLink: boolean;
  readonly oid: string;
}

const RECORD =
  /(\d{6}) ([0-9a-f]{40}) 0\t([^\0]*)\0 {2}ctime: (\d+):(\d+)\n {2}mtime: (\d+):(\d+)\n {2}dev: \d+\tino: (\d+)\n {2}uid: \d+\tgid: \d+\n {2}size: (\d+)\tflags: [0-9a-f]+\n/g;

async function readEntries({ gitDirectory }: Repository, user: UserRepository, indexMtimeMs: number) {
  const env = { GIT_INDEX_FILE: join(user.gitDirectory, "index") };
  const output = await runGit({ gitDirectory, env, args: ["ls-files", "--stage", "--debug", "-z"] });
  const entries = new Map<BytePath, SeenFile>();
  for (const [, mode, oid = "", path = "", cs, cn, ms, mn, ino, size] of output.toString("latin1").matchAll(RECORD)) {
    const mtimeMs = Number(ms) * 1000 + Number(mn) / 1e6;
    const ctimeMs = Number(cs) * 1000 + Number(cn) / 1e6;
    // As young as the index itself: it may have changed again after git had looked.
    if (mtimeMs >= indexMtimeMs || ctimeMs >= indexMtimeMs) continue;
    entries.set(path, { isLink: mode === "120000", oid, ctimeMs, mtimeMs, ino: Number(ino), size: Number(size) });
  }
  return entries;
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
