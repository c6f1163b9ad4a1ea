import { mkdir, readdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { createId, PRIVATE_FOLDER } from "../core/index.ts";
import { objectSizes } from "./link-objects.ts";
import { lookAt } from "./look-at.ts";
import type { Repository } from "./repository.ts";
import { runGit } from "./run-git.ts";
import type { UserRepository } from "./user-repository.ts";

/** Whether all objects that git can see in the user's repository are its own: nothing is borrowed or linked. */
export async function hasOnlyOwnObjects({ commonDirectory }: UserRepository): Promise<boolean> {
  const objects = join(commonDirectory, "objects");
  if (lookAt(join(objects, "info/alternates"))) return false;
  const found = await readdir(objects, { withFileTypes: true });
  return found.every((entry) => entry.isDirectory()) && (await isPlainPack(objects));
}

/**
 * Takes blobs of the user's repository into the store, those alone that are its own; gives which of them the store now
 * has. They are read by content, so that an object under a wrong name does no harm.
 */
export async function takeOwnBlobs(
  repository: Repository,
  user: UserRepository,
  oids: readonly string[],
): Promise<readonly string[]> {
  if (oids.length === 0) return [];
  const view = join(repository.home, "temporary", `objects-${createId()}`);
  try {
    await makeView(view, join(user.commonDirectory, "objects"), oids);
    const env = { GIT_OBJECT_DIRECTORY: view };
    const theirs = await objectSizes(repository, oids, env);
    const own = oids.filter((oid) => (theirs.get(oid) ?? Number.POSITIVE_INFINITY) <= MOST_BYTES);
    const before = await objectSizes(repository, own);
    const missing = own.filter((oid) => before.get(oid) === undefined);
    if (missing.length === 0) return own;
    const { gitDirectory } = repository;
    const input = missing.map((oid) => `${oid}\n`).join("");
    const pack = await runGit({
      gitDirectory,
      env,
      args: ["pack-objects", "--stdout", "--quiet", "--window=0"],
      input,
    });
    const unpack = missing.length > MOST_LOOSE ? ["index-pack", "--stdin"] : ["unpack-objects", "-q"];
    await runGit({ gitDirectory, args: unpack, input: pack });
    const after = await objectSizes(repository, own);
    return own.filter((oid) => after.get(oid) !== undefined);
  } finally {
    await rm(view, { recursive: true, force: true });
  }
}

/** A staged file may be as large as a file in a snapshot. */
const MOST_BYTES = 50 * 1024 * 1024;

/** Making many files takes longer than making one pack. */
const MOST_LOOSE = 100;

/** An object folder that shows the user's own objects but not `info/alternates`, by which git would go on to others. */
async function makeView(view: string, objects: string, oids: readonly string[]): Promise<void> {
  await mkdir(view, PRIVATE_FOLDER);
  if (await isPlainPack(objects)) await symlink(join(objects, "pack"), join(view, "pack"));
  const strange = new Set(oids.filter((oid) => !isPlainLoose(objects, oid)).map((oid) => oid.slice(0, 2)));
  for (const prefix of new Set(oids.map((oid) => oid.slice(0, 2)))) {
    if (!strange.has(prefix)) await symlink(join(objects, prefix), join(view, prefix));
  }
}

/** Git opens what it finds: a pipe would make it wait, a link would lead it elsewhere. */
function isPlainLoose(objects: string, oid: string): boolean {
  const folder = lookAt(join(objects, oid.slice(0, 2)));
  if (folder === undefined) return true;
  return folder.isDirectory() && (lookAt(join(objects, oid.slice(0, 2), oid.slice(2)))?.isFile() ?? true);
}

async function isPlainPack(objects: string): Promise<boolean> {
  if (!lookAt(join(objects, "pack"))?.isDirectory()) return false;
  return (await readdir(join(objects, "pack"), { withFileTypes: true })).every((entry) => entry.isFile());
}
