import { copyFile, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  formatIndexListing,
  isStoredEntry,
  isTreePath,
  lookAt,
  mayHaveForgedEntries,
  readIndexListing,
  runGit,
  type UserRepository,
} from "../../git/index.ts";
import { EMPTY_TREE } from "../diff-snapshots.ts";
import type { Repository } from "../store/repository.ts";
import { temporaryPlace } from "../store/sweep-remains.ts";
import { hasOnlyOwnObjects } from "./staged-blobs.ts";

/** Reads the user's index by a git that knows neither the user's settings nor the work tree; undefined where it cannot. */
export async function readIndex(repository: Repository, user: UserRepository, head: string | undefined) {
  const plain = { gitDirectory: repository.gitDirectory, user, head };
  const changes = changedEntries(plain).catch(() => []);
  const direct = await listEntries(plain, ["--sparse"]).catch(() => undefined);
  if (direct && !isSparse(direct)) return await finish(plain, direct, changes);
  const gitDirectory = await temporaryPlace(repository.home, "index");
  try {
    await makeReadingPlace(gitDirectory, user);
    return await readUnusual({ gitDirectory, user, head });
  } catch {
    return undefined;
  } finally {
    await rm(gitDirectory, { recursive: true, force: true });
  }
}

interface Source {
  /** The repository by which git reads; never the user's own, whose settings could name programs. */
  readonly gitDirectory: string;
  readonly user: UserRepository;
  readonly head: string | undefined;
}

/** A split index lies in two files, of which git finds the other in its repository. A sparse one leaves trees closed. */
async function readUnusual(source: Source) {
  const closed = await listEntries(source, ["--sparse"]);
  if (!isSparse(closed)) return await finish(source, closed);
  // What the user's repository borrows lies outside of the workspace, and its names do not belong in a snapshot.
  if (!(await hasOnlyOwnObjects(source.user))) return undefined;
  const trees = readIndexListing(closed).filter(({ mode }) => mode === "040000");
  const oids = trees.map(({ oid }) => oid);
  const check = await runIndexGit(source, ["cat-file", "--batch-check"], oids);
  // Git passes silently over a tree that it does not find.
  if (check.includes(" missing\n")) return undefined;
  return await finish(source, await listEntries(source, []));
}

/** Gives the entries as `git-index` has them, and the ids of files that are staged, so that no commit need hold them. */
async function finish(source: Source, listed: Buffer, changing = changedEntries(source).catch(() => [])) {
  const listing = mayHaveForgedEntries(listed)
    ? formatIndexListing(readIndexListing(listed).filter(isStoredEntry))
    : listed;
  const changes = await changing;
  const mayIntend = changes.some(({ status, oid }) => status === "A" && oid === EMPTY_BLOB);
  const isUnmerged = changes.some(({ status }) => status === "U");
  const unmerged = isUnmerged ? readIndexListing(listing).filter(({ stage }) => stage !== "0") : [];
  const staged = [...changes, ...unmerged].filter(({ mode }) => mode.startsWith("10") || mode === "120000");
  return {
    listing: mayIntend ? await markIntended(source, listing) : listing,
    staged: [...new Set(staged.map(({ oid }) => oid))].toSorted(),
  };
}

async function changedEntries(source: Source) {
  const args = ["diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-ext-diff", source.head ?? EMPTY_TREE];
  const fields = (await runIndexGit(source, args)).toString("latin1").split("\0");
  return fields.flatMap((field, index) => {
    const [, mode = "", , oid = "", status = ""] = index % 2 === 0 ? field.split(" ") : [];
    return status === "" || !isTreePath(fields[index + 1] ?? "") ? [] : [{ mode, oid, status }];
  });
}

/** An entry by `git add -N` looks like an empty file; only the flags tell. */
async function markIntended(source: Source, listing: Buffer): Promise<Buffer> {
  const output = await runIndexGit(source, ["ls-files", "--stage", "--debug", "-z"]);
  const intended = new Set<string>();
  for (const [, path = "", flags = ""] of output.toString("latin1").matchAll(FLAGS)) {
    if ((Number.parseInt(flags, 16) & INTENT_TO_ADD) !== 0) intended.add(path);
  }
  if (intended.size === 0) return listing;
  const entries = readIndexListing(listing).map((entry) => {
    if (!intended.has(entry.path)) return entry;
    return { ...entry, letter: entry.letter === entry.letter.toUpperCase() ? "N" : "n" };
  });
  return formatIndexListing(entries);
}

const EMPTY_BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
const FLAGS = /\d{6} e69de29b[0-9a-f]{32} 0\t([^\0]*)\0(?: {2}[^\n]*\n){4} {2}size: \d+\tflags: ([0-9a-f]+)\n/g;
const INTENT_TO_ADD = 0x2000_0000;

function listEntries(source: Source, options: readonly string[]): Promise<Buffer> {
  return runIndexGit(source, ["ls-files", "--stage", "-v", "-z", ...options]);
}

/** A pipe among the user's objects would make git wait for ever, so it is given some time and no more. */
async function runIndexGit(
  { gitDirectory, user }: Source,
  args: readonly string[],
  input: readonly string[] = [],
): Promise<Buffer> {
  const env = {
    GIT_INDEX_FILE: join(user.gitDirectory, "index"),
    GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(join(user.commonDirectory, "objects")),
  };
  return await runGit({ gitDirectory, env, args, input, signal: AbortSignal.timeout(PATIENCE_MS) });
}

const PATIENCE_MS = 20_000;

function isSparse(listing: Buffer): boolean {
  return /(?:^|\0). 040000 /.test(listing.toString("latin1"));
}

/** An empty repository with the user's shared index in it. */
async function makeReadingPlace(gitDirectory: string, user: UserRepository): Promise<void> {
  await mkdir(join(gitDirectory, "objects"), { recursive: true });
  await mkdir(join(gitDirectory, "refs"));
  await writeFile(join(gitDirectory, "HEAD"), "ref: refs/heads/main\n");
  for (const name of await readdir(user.gitDirectory)) {
    const path = join(user.gitDirectory, name);
    if (/^sharedindex\.[0-9a-f]{40}$/.test(name) && lookAt(path)?.isFile()) {
      await copyFile(path, join(gitDirectory, name));
    }
  }
}
