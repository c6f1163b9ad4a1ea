import { mkdir, readdir, readFile, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { PRIVATE_FOLDER, SkeinError } from "../../core/internal.ts";
import {
  forgedError,
  gitLines,
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

/**
 * Copies blobs that are the user's repository's own into the store, and gives the sizes of those that it now has. They are named by content,
 * so that a wrong name does no harm, and never linked: an agent may write to the files of the user's repository.
 */
export async function takeOwnBlobs(
  repository: Repository,
  user: UserRepository,
  oids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (oids.length === 0) return new Map();
  const { gitDirectory } = repository;
  const view = await temporaryPlace(repository.home, "objects");
  try {
    await makeView(view, join(user.commonDirectory, "objects"), oids);
    const env = { GIT_OBJECT_DIRECTORY: view };
    const theirs = await blobSizes(repository, oids, env);
    const own = [...theirs].filter(([, size]) => size <= MOST_BYTES).map(([oid]) => oid);
    const isNew = await isEmpty(repository);
    const before = isNew ? new Map<string, number>() : await blobSizes(repository, own);
    const missing = own.filter((oid) => !before.has(oid));
    if (missing.length === 0) return before;
    const pack = { gitDirectory, env, args: ["pack-objects", "--stdout", "--quiet", "--window=0"], input: missing };
    await pipeGit(pack, { gitDirectory, args: ["index-pack", "--stdin"] });
    await syncFolder(join(gitDirectory, "objects/pack"));
    const arrived = isNew ? await packedIds(gitDirectory) : undefined;
    if (!arrived) return await blobSizes(repository, own);
    return new Map([...theirs].filter(([oid, size]) => size <= MOST_BYTES && arrived.has(oid)));
  } finally {
    await rm(view, { recursive: true, force: true });
  }
}

async function blobSizes(
  { gitDirectory }: Repository,
  oids: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ReadonlyMap<string, number>> {
  const args = ["cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)", "--buffer"];
  const sizes = new Map<string, number>();
  for (const line of await gitLines({ gitDirectory, env, args, input: oids })) {
    const [oid = "", type, size] = line.split(" ");
    if (type === "blob") sizes.set(oid, Number(size));
  }
  return sizes;
}

/** A staged file may be as large as a file in a snapshot. */
const MOST_BYTES = 50 * 1024 * 1024;

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

/** What is in the packs of a store that had none, under the names that git has found for it by itself; undefined where they are of a kind of their own. */
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
