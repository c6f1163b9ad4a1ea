import { join } from "node:path";
import { defined, SkeinError } from "../../core/index.ts";
import {
  toBytePath,
  indexFingerprint,
  lookAt,
  writeLooseTree,
  blobId,
  readSmallFile,
  readUnfinished,
  findUserRepository,
  isPlainPath,
  type UserRepository,
} from "../../git/index.ts";
import { readIndex } from "./read-index.ts";
import type { Repository } from "../store/repository.ts";
import type { GitState } from "../snapshot-store.ts";
import { takeOwnBlobs } from "./own-objects.ts";
import { isBranchName } from "./git-file.ts";

/** The part of a snapshot that tells the user's repository. */
export interface GitPart {
  readonly state: GitState;
  /** The snapshot's files for it, `git.json` and `git-index`. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** The tree of staged content that no commit need hold, the snapshot's `git-objects`; it is in the store already. */
  readonly stagedTree: string | undefined;
  /** The index file, and what it was compared with, as a text that changes when they do. */
  readonly indexKey: string;
  /** The same, of the index's entries alone; undefined where they cannot be told from the file. */
  readonly entriesKey: string | undefined;
}

/** Reads where the user's repository stands, by looking only; gives the same object again where nothing changed. */
export async function readGitState(
  repository: Repository,
  directory: string,
  previous: GitPart | undefined,
): Promise<GitPart | undefined> {
  const found = readUserHead(directory);
  if (!found) return undefined;
  const { user, head } = found;
  const indexPath = join(user.gitDirectory, "index");
  const indexStat = statText(indexPath);
  const indexKey = `${indexStat} ${head.head}`;
  const isSameFile = previous !== undefined && indexKey === previous.indexKey;
  const entriesKey = isSameFile ? previous.entriesKey : readEntriesKey(indexPath, head.head);
  const isSameIndex = isSameFile || (entriesKey !== undefined && entriesKey === previous?.entriesKey);
  const { index, stagedTree } =
    isSameIndex && previous
      ? { index: previous.files.get("git-index"), stagedTree: previous.stagedTree }
      : await readStaged(repository, user, { isThere: indexStat !== "", head: head.head });
  const unfinished = readUnfinished(user.gitDirectory);
  const told = { ...head, ...defined({ unfinished }) };
  const indexId = isSameIndex && previous ? previous.state.indexId : index && blobId(index);
  const state: GitState = { ...told, ...defined({ indexId }) };
  if (previous && JSON.stringify([state, stagedTree]) === JSON.stringify([previous.state, previous.stagedTree]))
    return isSameFile ? previous : { ...previous, indexKey, entriesKey };
  const text = `${JSON.stringify({ version: 1, ...told })}\n`;
  const files = new Map<string, Buffer>([["git.json", Buffer.from(text)]]);
  if (index !== undefined) files.set("git-index", index);
  return { state, files, stagedTree, indexKey, entriesKey };
}

/** Finds the repository at a directory's root and reads where its HEAD is; undefined where there is none, or none that can be read. */
export function readUserHead(
  directory: string,
): { readonly user: UserRepository; readonly head: Omit<GitState, "indexId"> } | undefined {
  const user = findUserRepository(directory);
  const head = user && readHead(user);
  return user && head ? { user, head } : undefined;
}

/** The commit that a ref names, read from the files; undefined where there is none, or none that a SHA-1 names. */
export function readRef({ commonDirectory }: UserRepository, ref: string): string | undefined {
  const found = findRef(commonDirectory, ref);
  return found !== undefined && OID.test(found) ? found : undefined;
}

/** What stands for a ref in its file; an empty text where that is a link, a pipe or huge. */
function findRef(commonDirectory: string, ref: string): string | undefined {
  if (!isPlainPath(commonDirectory, ref)) return "";
  const stats = lookAt(join(commonDirectory, ref));
  if (stats && !stats.isDirectory()) return readSmallFile(join(commonDirectory, ref))?.toString("latin1").trim() ?? "";
  const packed = `\n${readSmallFile(join(commonDirectory, "packed-refs"), 256 * 1024 * 1024)?.toString("latin1") ?? ""}`;
  const end = packed.indexOf(` ${toBytePath(ref)}\n`);
  return end === -1 ? undefined : packed.slice(packed.lastIndexOf("\n", end) + 1, end);
}

function readHead(user: UserRepository): Omit<GitState, "indexId"> | undefined {
  const text = readSmallFile(join(user.gitDirectory, "HEAD"))?.toString("utf8").trim() ?? "";
  if (OID.test(text)) return { head: text, detached: true };
  const branch = /^ref: (refs\/\S+)$/.exec(text)?.[1];
  // A repository with another ref format says so here; where it stands is then not known to us.
  if (branch === undefined || !isBranchName(branch)) return undefined;
  const head = findRef(user.commonDirectory, branch);
  // A ref to a ref, or the longer ids of SHA-256, which our store cannot name.
  if (head !== undefined && !OID.test(head)) return undefined;
  return { ...defined({ head }), branch, detached: false };
}

/** What is staged, as text: the index itself also holds times, which change when nothing else does. */
async function readStaged(
  repository: Repository,
  user: UserRepository,
  { isThere, head }: { readonly isThere: boolean; readonly head: string | undefined },
): Promise<{ readonly index: Buffer | undefined; readonly stagedTree: string | undefined }> {
  const read = isThere ? await readIndex(repository, user, head) : undefined;
  const kept = await takeOwnBlobs(repository, user, read?.staged ?? []).catch((error: unknown) => {
    if (error instanceof SkeinError && error.kind === "resource_exhausted") throw error;
    // The user's repository is damaged; what was staged is then told by its ids alone.
    return new Map<string, number>();
  });
  const entries = Array.from(kept.keys(), (oid) => ({ mode: "100644", name: oid, oid }));
  const stagedTree = entries.length === 0 ? undefined : await writeLooseTree(repository.gitDirectory, entries);
  return { index: read?.listing, stagedTree };
}

function readEntriesKey(path: string, head: string | undefined): string | undefined {
  const fingerprint = indexFingerprint(readSmallFile(path, MOST_INDEX_BYTES) ?? Buffer.alloc(0));
  return fingerprint === undefined ? undefined : `${fingerprint} ${head}`;
}

const MOST_INDEX_BYTES = 256 * 1024 * 1024;

function statText(path: string): string {
  const stats = lookAt(path);
  return stats?.isFile() ? `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}` : "";
}

const OID = /^[0-9a-f]{40}$/;
