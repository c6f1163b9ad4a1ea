import { chmodSync, lstatSync, mkdirSync, rmSync, type Stats } from "node:fs";
import { rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { SkeinError } from "../core/internal.ts";
import {
  type BytePath,
  checkoutFiles,
  chmodFolder,
  type FileLook,
  foldersAbove,
  leadingFolders,
  lookAt,
  lookOf,
  type ObjectReader,
  toBytePath,
  toSystemPath,
} from "../git/index.ts";
import type { FileNode, StatKey } from "./capture/tree-node.ts";
import type { Listing } from "./listing.ts";
import { writeStoredFile } from "./restore/apply-listing.ts";
import type { SnapshotReader } from "./snapshot-reader.ts";
import type { FileState } from "./snapshot-store.ts";
import { temporaryPlace } from "./store/sweep-remains.ts";

/** A file that was written, and how it looked right after. */
export interface WrittenFile {
  readonly state: FileState;
  readonly look: FileLook;
}

interface TreeToWrite {
  readonly listing: Listing;
  readonly signal: AbortSignal | undefined;
}

/**
 * Writes files into an empty directory that nobody else works in: most of them by git, which is quicker at it, in several processes at
 * once. What is half written is closed to everybody else.
 */
export async function writeFreshTree(
  reader: SnapshotReader,
  root: string,
  { listing, signal }: TreeToWrite,
): Promise<ReadonlyMap<BytePath, WrittenFile>> {
  const { mode } = lstatSync(root);
  chmodSync(root, 0o700);
  const tree = createFreshTree(toBytePath(root), listing);
  const files = [...listing.files].toSorted(([left], [right]) => (left < right ? -1 : 1));
  const [byGit, others] = [files.filter(isWrittenByGit), files.filter((file) => !isWrittenByGit(file))];
  await checkOut(reader, tree, { files: byGit, root, signal });
  tree.makeFolders(leadingFolders(byGit.map(([path]) => path)));
  // Links last: nothing is written through one.
  for (const [path, state] of others) {
    signal?.throwIfAborted();
    await tree.write(path, state, reader.objects);
  }
  tree.setFolderModes();
  chmodSync(root, mode & 0o7777);
  return tree.written;
}

type ListedFile = readonly [path: BytePath, state: FileState];

/** Links are none of git's work, nor is what it would read to learn how it should change what it writes. */
function isWrittenByGit([path, { kind }]: ListedFile): boolean {
  return kind === "file" && !READ_BY_GIT.test(path.slice(path.lastIndexOf("/") + 1));
}

/** `.gitattributes` and what a file system may take for it: in other letters, or with characters that it passes over. */
const READ_BY_GIT = /^\.git|^\..*[\x80-\xff]/is;

interface Checkout {
  readonly files: readonly ListedFile[];
  readonly root: string;
  readonly signal: AbortSignal | undefined;
}

async function checkOut(reader: SnapshotReader, tree: FreshTree, { files, root, signal }: Checkout): Promise<void> {
  if (files.length === 0) return;
  const { gitDirectory, home } = reader.repository;
  const place = await temporaryPlace(home, "checkout");
  const shares = inShares(files);
  for (const [at, [[first = ""] = []]] of shares.entries()) {
    const [before = ""] = shares[at - 1]?.at(-1) ?? [];
    // Two gits would each try to make a folder in which both have files.
    const shared = [...foldersAbove(first)].filter((folder) => before.startsWith(`${folder}/`));
    for (const folder of shared.toReversed()) tree.make(folder);
  }
  try {
    const work = shares.map(async (share, at) => {
      const wanted = share.map(([path, state]) => {
        return { path, oid: state.contentId ?? "", isExecutable: isExecutable(state) };
      });
      const indexPath = join(place, `index-${at}`);
      const looks = await checkoutFiles({ gitDirectory, directory: root, indexPath, files: wanted, signal });
      for (const [index, [path, state]] of share.entries()) tree.take(path, state, looks[index] ?? []);
    });
    // None may go on writing after another has failed.
    const ended = await Promise.allSettled(work);
    const failed = ended.find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") throw await reasonOf(failed.reason, { ...reader, files, root, signal });
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

function inShares(files: readonly ListedFile[]): readonly (readonly ListedFile[])[] {
  const count = Math.min(MOST_PROCESSES, availableParallelism(), Math.ceil(files.length / FEWEST_FILES));
  const size = Math.ceil(files.length / count);
  return Array.from({ length: count }, (_, at) => files.slice(at * size, (at + 1) * size)).filter(
    ({ length }) => length,
  );
}

/** Beyond that they only wait for the disk. */
const MOST_PROCESSES = 4;

/** As many are written in the time in which a process starts. */
const FEWEST_FILES = 200;

/** Git says by words what is wrong: what it did not write is written here, until that fails as it does for git. */
async function reasonOf(
  failure: unknown,
  { objects, root, files, signal }: Checkout & Pick<SnapshotReader, "objects">,
): Promise<unknown> {
  if (signal?.aborted || !(failure instanceof SkeinError) || failure.kind !== "process") return failure;
  try {
    for (const [path, state] of files) {
      const at = toSystemPath(`${toBytePath(root)}/${path}`);
      const content = await objects.fileContent(state.contentId ?? "");
      if (lookAt(at)?.size === content?.length) continue;
      rmSync(at, { force: true });
      await writeStoredFile(at, { state, content, objects });
    }
    return failure;
  } catch (error) {
    return error;
  }
}

type FreshTree = ReturnType<typeof createFreshTree>;

function createFreshTree(root: BytePath, listing: Listing) {
  const at = (path: BytePath): string | Buffer => toSystemPath(`${root}/${path}`);
  const written = new Map<BytePath, WrittenFile>();
  /** What was made here, and is closed to others until its mode is set. */
  const made = new Set<BytePath>();
  const look = (path: BytePath): FileLook => lookOf(lstatSync(at(path), { bigint: true }));
  const usual: Partial<Record<"file" | "executable" | "folder", number>> = {};
  /** What the process's mask, or the folder's own rules, make of the modes that git asks for; the same for all that it writes. */
  const usualMode = (kind: keyof typeof usual, path: BytePath): number => (usual[kind] ??= modeOf(lstatSync(at(path))));
  const make = (folder: BytePath): void => {
    if (made.has(folder)) return;
    mkdirSync(at(folder), 0o700);
    made.add(folder);
  };
  const folders = [...listing.folders].toSorted(([left], [right]) => (left < right ? -1 : 1));
  return {
    written,
    make,
    /** Takes a file as git wrote it, and gives it the mode that it shall have. */
    take(path: BytePath, state: FileState, seen: FileLook): void {
      const isUsual = usualMode(isExecutable(state) ? "executable" : "file", path) === state.mode;
      if (!isUsual) chmodSync(at(path), state.mode);
      written.set(path, { state, look: isUsual ? seen : look(path) });
    },
    async write(path: BytePath, state: FileState, objects: ObjectReader): Promise<void> {
      const content = await objects.fileContent(state.contentId ?? "");
      await writeStoredFile(at(path), { state, content, objects });
      written.set(path, { state, look: look(path) });
    },
    /** Makes the folders that git has not made. */
    makeFolders(byGit: ReadonlySet<BytePath>): void {
      for (const [path] of folders) if (!byGit.has(path)) make(path);
    },
    /** The deepest first, for one may be closed to its owner too. */
    setFolderModes(): void {
      for (const [path, mode] of folders.toReversed()) {
        if ((made.has(path) ? 0o700 : usualMode("folder", path)) !== mode) chmodFolder(at(path), mode);
      }
    },
  };
}

function modeOf({ mode }: Stats): number {
  return mode & 0o777;
}

function isExecutable({ mode }: FileState): boolean {
  return (mode & 0o100) !== 0;
}

/** A written file as a capture would find it. */
export function nodeOf({ state, look }: WrittenFile): FileNode {
  const kind = state.kind === "symlink" ? "symlink" : "file";
  return { kind, mode: state.mode, oid: state.contentId ?? "", stat: statOf(look), racy: false };
}

function statOf([
  ctime = 0,
  ctimeNs = 0,
  mtime = 0,
  mtimeNs = 0,
  ,
  ino = 0,
  uid = 0,
  gid = 0,
  size = 0,
]: FileLook): StatKey {
  return { size, mtimeMs: toMs(mtime, mtimeNs), ctimeMs: toMs(ctime, ctimeNs), ino, uid, gid };
}

/** Just as Node reckons it. */
function toMs(seconds: number, nanoseconds: number): number {
  return seconds * 1000 + nanoseconds / 1e6;
}
