import { mkdir, readdir, readFile, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { PRIVATE_FOLDER, SkeinError } from "../../core/internal.ts";
import {
  forgedError,
  isPlainPath,
  lookAt,
  parseTreeEntries,
  pipeGit,
  readPackIds,
  runGit,
  syncFolder,
  type UserRepository,
  writeLoose,
} from "../../git/index.ts";
import type { SnapshotReader } from "../snapshot-reader.ts";
import type { Repository } from "../store/repository.ts";
import { temporaryPlace } from "../store/sweep-remains.ts";

/** Whether all objects that git can see in the user's repository are its own: nothing is borrowed or linked. */
export async function hasOnlyOwnObjects({ commonDirectory }: UserRepository): Promise<boolean> {
  const objects = join(commonDirectory, "objects");
  if (lookAt(join(objects, "info/alternates"))) return false;
  const found = await readdir(objects, { withFileTypes: true });
  return found.every((entry) => entry.isDirectory()) && (await isPlainPack(objects));
}

/** What the store holds of objects that were to be copied into it. */
export interface HeldObjects {
  /** The size of a blob; undefined where it is not held. */
  blobSize(oid: string): number | undefined;
  /** The ids of all that were copied, whatever they are. */
  readonly copied: ReadonlySet<string>;
}

/**
 * Copies objects that are the user's repository's own into the store. They are named by content, so that a wrong name does no harm, and never
 * linked: an agent may write to the files of the user's repository.
 */
export async function takeOwnObjects(
  repository: Repository,
  user: UserRepository,
  { oids, areSmall }: WantedObjects,
): Promise<HeldObjects> {
  if (oids.length === 0) return { blobSize: () => undefined, copied: new Set() };
  const view = await temporaryPlace(repository.home, "objects");
  try {
    await makeView(view, join(user.commonDirectory, "objects"), oids);
    const env = { GIT_OBJECT_DIRECTORY: view };
    const isNew = await isEmpty(repository);
    const copying = isNew && areSmall ? copyObjects(repository, env, oids).catch(() => undefined) : undefined;
    const theirs = await objectSizes(repository, oids, env);
    const copied = (await copying) ?? (await copyMissing(repository, env, { theirs, oids, isNew }));
    if (copied) return { blobSize: (oid) => (copied.has(oid) ? theirs.blobs.get(oid) : undefined), copied };
    const { blobs } = await objectSizes(repository, oids);
    return { blobSize: (oid) => blobs.get(oid), copied: new Set() };
  } finally {
    await rm(view, { recursive: true, force: true });
  }
}

interface WantedObjects {
  readonly oids: readonly string[];
  /**
   * All are known to be there and none is large, as far as the index can tell: they are copied while git is asked. Where that is wrong, git
   * copies none.
   */
  readonly areSmall: boolean;
}

/** Gives what a store that had nothing now has; undefined where it has to be asked. */
async function copyMissing(
  repository: Repository,
  env: Readonly<Record<string, string>>,
  found: { readonly theirs: ObjectSizes; readonly oids: readonly string[]; readonly isNew: boolean },
): Promise<ReadonlySet<string> | undefined> {
  const { theirs, oids, isNew } = found;
  const isWanted = (oid: string): boolean =>
    theirs.others.has(oid) || (theirs.blobs.get(oid) ?? Infinity) <= MOST_BYTES;
  const own = oids.filter(isWanted);
  const before = isNew ? undefined : await objectSizes(repository, own);
  const missing = own.filter((oid) => !before?.blobs.has(oid) && !before?.others.has(oid));
  const copied = missing.length === 0 ? new Set<string>() : await copyObjects(repository, env, missing);
  return isNew ? copied : undefined;
}

/** Gives what then is in the packs, under the names that git has reckoned by itself; undefined where they are of a kind of their own. */
async function copyObjects(
  { gitDirectory }: Repository,
  env: Readonly<Record<string, string>>,
  oids: readonly string[],
): Promise<ReadonlySet<string> | undefined> {
  const pack = { gitDirectory, env, args: ["pack-objects", "--stdout", "--quiet", "--window=0"], input: oids };
  await pipeGit(pack, { gitDirectory, args: ["index-pack", "--stdin"] });
  await syncFolder(join(gitDirectory, "objects/pack"));
  return await packedIds(gitDirectory);
}

type ObjectSizes = Awaited<ReturnType<typeof objectSizes>>;

/** The sizes of blobs that a repository holds, and which other objects it holds. */
async function objectSizes(
  { gitDirectory }: Repository,
  oids: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const args = ["cat-file", "--batch-check=%(objecttype) %(objectsize)", "--buffer"];
  const blobs = new Map<string, number>();
  const others = new Set<string>();
  const lines = (await runGit({ gitDirectory, env, args, input: oids })).toString("latin1");
  let at = 0;
  for (const oid of oids) {
    const end = lines.indexOf("\n", at);
    if (lines.startsWith("blob ", at)) blobs.set(oid, Number(lines.slice(at + 5, end)));
    else if (!lines.startsWith(`${oid} `, at)) others.add(oid);
    at = end + 1;
  }
  return { blobs, others };
}

/** A staged file may be as large as a file in a snapshot. */
export const MOST_BYTES = 50 * 1024 * 1024;

/** An object folder that shows the user's own objects but not `info/alternates`, by which git would go on to others. */
async function makeView(view: string, objects: string, oids: readonly string[]): Promise<void> {
  await mkdir(view, PRIVATE_FOLDER);
  if (await isPlainPack(objects)) await symlink(join(objects, "pack"), join(view, "pack"));
  const wanted = new Set(oids.map((oid) => oid.slice(0, 2)));
  for (const entry of await readdir(objects, { withFileTypes: true })) {
    if (!entry.isDirectory() || !wanted.has(entry.name)) continue;
    const folder = join(objects, entry.name);
    // Git opens what it finds: a pipe would make it wait, a link would lead it elsewhere.
    const isPlain = (await readdir(folder, { withFileTypes: true })).every((object) => object.isFile());
    if (isPlain) await symlink(folder, join(view, entry.name));
  }
}

/** Whether nothing was ever written to a repository: git looks long for each of many objects that are not there. */
async function isEmpty({ gitDirectory }: Repository): Promise<boolean> {
  const folders = await readdir(join(gitDirectory, "objects"));
  const packs = await readdir(join(gitDirectory, "objects/pack")).catch(() => []);
  return packs.length === 0 && folders.every((name) => name === "info" || name === "pack");
}

async function packedIds(gitDirectory: string): Promise<ReadonlySet<string> | undefined> {
  const folder = join(gitDirectory, "objects/pack");
  const ids = new Set<string>();
  for (const name of (await readdir(folder)).filter((each) => each.endsWith(".idx"))) {
    const found = readPackIds(await readFile(join(folder, name)));
    if (!found) return undefined;
    for (const id of found) ids.add(id);
  }
  return ids;
}

async function isPlainPack(objects: string): Promise<boolean> {
  if (!lookAt(join(objects, "pack"))?.isDirectory()) return false;
  return (await readdir(join(objects, "pack"), { withFileTypes: true })).every((entry) => entry.isFile());
}

/** Writes the blobs of a snapshot's `git-objects` into another repository, where they may have been collected since. */
export async function giveBlobs(
  { repository, objects }: SnapshotReader,
  commonDirectory: string,
  objectsTree: string,
): Promise<void> {
  const oids = parseStagedTree(await objects.content(objectsTree));
  const places = oids.length > MOST_LOOSE ? ["pack"] : oids.map((oid) => oid.slice(0, 2));
  for (const place of places) {
    if (isPlainPath(commonDirectory, `objects/${place}`)) continue;
    throw new SkeinError(`objects/${place} in the workspace's repository is a link`, {
      kind: "filesystem",
      target: place,
      hint: "Skein writes only to real folders of the repository; put a real one in its place",
    });
  }
  if (oids.length > MOST_LOOSE) {
    const args = ["pack-objects", "--quiet", "--window=0", join(commonDirectory, "objects/pack/pack")];
    await runGit({ gitDirectory: repository.gitDirectory, args, input: oids });
  } else for (const oid of oids) await writeLoose(commonDirectory, "blob", await objects.content(oid));
}

/** The ids in a snapshot's `git-objects`, in which each blob is named by its own. */
export function parseStagedTree(content: Buffer): readonly string[] {
  const entries = parseTreeEntries(content);
  const wrong = entries.find(({ mode, name, oid }) => mode !== "100644" || name !== oid);
  if (!wrong) return entries.map(({ oid }) => oid);
  throw forgedError("A snapshot's git-objects hold something that is not named by its own id", wrong.oid);
}

/** Making many files takes longer than making one pack. */
const MOST_LOOSE = 100;
