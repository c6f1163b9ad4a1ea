import { dirname, join } from "node:path";
import { defined, SkeinError } from "../../core/internal.ts";
import {
  blobId,
  indexFingerprint,
  lookAt,
  readSmallFile,
  readUnfinished,
  readUserHead,
  tryLookAt,
  type UserRepository,
  writeLooseTree,
} from "../../git/index.ts";
import type { GitState } from "../snapshot-store.ts";
import type { Repository } from "../store/repository.ts";
import { readIndex } from "./read-index.ts";
import { MOST_BYTES, takeOwnObjects } from "./staged-blobs.ts";

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
  const same = isSameIndex ? previous : undefined;
  const { index, stagedTree } = same
    ? { index: same.files.get("git-index"), stagedTree: same.stagedTree }
    : await readStaged(repository, user, { isThere: indexStat !== "", head: head.head });
  const told = { ...head, ...defined({ unfinished: readUnfinished(user.gitDirectory) }) };
  const indexId = same ? same.state.indexId : index && blobId(index);
  const state: GitState = { ...told, ...defined({ indexId }) };
  if (previous && JSON.stringify([state, stagedTree]) === JSON.stringify([previous.state, previous.stagedTree]))
    return isSameFile ? previous : { ...previous, indexKey, entriesKey };
  const text = `${JSON.stringify({ version: 1, ...told })}\n`;
  const files = new Map<string, Buffer>([["git.json", Buffer.from(text)]]);
  if (index !== undefined) files.set("git-index", index);
  return { state, files, stagedTree, indexKey, entriesKey };
}

/** What is staged, as text: the index itself also holds times, which change when nothing else does. */
async function readStaged(
  repository: Repository,
  user: UserRepository,
  { isThere, head }: { readonly isThere: boolean; readonly head: string | undefined },
) {
  const read = isThere ? await readIndex(repository, user, head) : undefined;
  const staged = read?.staged ?? [];
  const kept = await takeOwnObjects(repository, user, { oids: staged, areSmall: false }).catch((error: unknown) => {
    if (error instanceof SkeinError && error.kind === "resource_exhausted") throw error;
    // The user's repository is damaged; what was staged is then told by its ids alone.
    return undefined;
  });
  const held = staged.filter((oid) => (kept?.blobSize(oid) ?? MOST_BYTES + 1) <= MOST_BYTES);
  const entries = held.map((oid) => ({ mode: "100644", name: oid, oid }));
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

/** A repository of which no state of a workspace holds HEAD and the index, although the workspace's files are in it. */
interface LeftOutGit {
  /**
   * `subdirectory`: the workspace is a folder of it, and putting it back would change what is outside. `unsupported`: its `.git` is a
   * link, points to a place that does not point back, or keeps its refs or ids in a way that is not read.
   */
  readonly reason: "subdirectory" | "unsupported";
  /** The folder that its `.git` is in. */
  readonly repository: string;
}

/** Tells whether a workspace, by its real path, is in a repository that its states do not hold; undefined where all is held, or there is none. */
export function findLeftOutGit(directory: string): LeftOutGit | undefined {
  if (lookAt(join(directory, ".git"))) {
    return readUserHead(directory) ? undefined : { reason: "unsupported", repository: directory };
  }
  for (let inner = directory; dirname(inner) !== inner; inner = dirname(inner)) {
    const repository = dirname(inner);
    if (isRepository(join(repository, ".git"))) return { reason: "subdirectory", repository };
  }
  return undefined;
}

/** Git looks further up where it finds neither, or what is closed to us; what it would make of the place a file names, it says itself. */
function isRepository(path: string): boolean {
  return tryLookAt(path)?.isFile() === true || tryLookAt(join(path, "HEAD")) !== undefined;
}
