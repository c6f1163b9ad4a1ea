import { createHash } from "node:crypto";
import { link, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { inflate } from "node:zlib";
import { PRIVATE_FOLDER } from "../core/index.ts";
import { lookAt } from "./look-at.ts";
import { readSmallFile } from "./read-small-file.ts";
import type { Repository } from "./repository.ts";
import { runGit } from "./run-git.ts";
import { errorCode } from "./storage-error.ts";
import { isPlainPath, type UserRepository } from "./user-repository.ts";

/**
 * Gives the store objects of the user's repository without copying: its files are linked, so they stay when the user's
 * repository is collected. On another disk the objects that are needed are packed into the store.
 */
export async function linkObjects(
  repository: Repository,
  user: UserRepository,
  oids: readonly string[],
): Promise<void> {
  const theirs = join(user.commonDirectory, "objects");
  try {
    await linkPacks(theirs, repository);
    const missing = [...(await objectSizes(repository, oids))].filter(([, size]) => size === undefined);
    if (missing.length > MOST_LINKED)
      return await packObjects(
        repository,
        theirs,
        missing.map(([oid]) => oid),
      );
    for (const [oid] of missing) await linkLoose(theirs, ours(repository), oid);
  } catch (error) {
    if (!["EXDEV", "EPERM", "EMLINK", "ENOTSUP"].includes(errorCode(error))) throw error;
    await packObjects(repository, theirs, oids);
  }
}

/** Making many files takes longer than making one pack. */
const MOST_LINKED = 200;

/** The size of each blob that the store holds, or that `env` shows to git; undefined for one that it does not. */
export async function objectSizes(
  { gitDirectory }: Repository,
  oids: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ReadonlyMap<string, number | undefined>> {
  const args = ["cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)", "--buffer"];
  const output = await runGit({ gitDirectory, env, args, input: oids.map((oid) => `${oid}\n`).join("") });
  const sizes = new Map<string, number | undefined>();
  for (const line of output.toString("latin1").split("\n")) {
    const [oid = "", type, size] = line.split(" ");
    if (oid !== "") sizes.set(oid, type === "blob" ? Number(size) : undefined);
  }
  return sizes;
}

function ours({ gitDirectory }: Repository): string {
  return join(gitDirectory, "objects");
}

/** The data before its index: git looks for the index. */
async function linkPacks(theirs: string, repository: Repository): Promise<void> {
  if (!isPlainPath(theirs, "pack")) return;
  for (const name of await readdir(join(theirs, "pack")).catch(() => [])) {
    if (!/^pack-[0-9a-f]{40}\.idx$/.test(name)) continue;
    for (const part of [name.replace(/idx$/, "pack"), name]) await linkFile(theirs, ours(repository), `pack/${part}`);
  }
}

/** An object under a wrong name would spoil every snapshot that comes to hold what the name stands for. */
async function linkLoose(from: string, to: string, oid: string): Promise<void> {
  const path = `${oid.slice(0, 2)}/${oid.slice(2)}`;
  const bytes = isPlainPath(from, path) ? readSmallFile(join(from, path), 64 * 1024 * 1024) : undefined;
  const content = bytes && (await inflated(bytes).catch(() => undefined));
  if (content && createHash("sha1").update(content).digest("hex") === oid) await linkFile(from, to, path);
}

const inflated = promisify<Buffer, Buffer>(inflate);

async function linkFile(from: string, to: string, path: string): Promise<void> {
  if (!isPlainPath(from, path) || !lookAt(join(from, path))?.isFile()) return;
  await mkdir(join(to, path, ".."), PRIVATE_FOLDER);
  await link(join(from, path), join(to, path)).catch((error: unknown) => {
    if (errorCode(error) !== "EEXIST" && errorCode(error) !== "ENOENT") throw error;
  });
}

async function packObjects(repository: Repository, theirs: string, oids: readonly string[]): Promise<void> {
  // Objects that the user's repository borrows lie outside of the workspace.
  if (lookAt(join(theirs, "info", "alternates"))) return;
  const env = { GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(theirs) };
  const { gitDirectory } = repository;
  const check = ["cat-file", "--batch-check=%(objectname) %(objecttype)", "--buffer"];
  const listed = await runGit({ gitDirectory, env, args: check, input: oids.map((oid) => `${oid}\n`).join("") });
  const there = listed
    .toString("latin1")
    .split("\n")
    .filter((line) => line.endsWith(" blob"));
  const input = there.map((line) => `${line.slice(0, 40)}\n`).join("");
  const pack = join(ours(repository), "pack", "pack");
  await mkdir(join(ours(repository), "pack"), PRIVATE_FOLDER);
  await runGit({ gitDirectory, env, args: ["pack-objects", "--quiet", "--window=0", pack], input });
}
