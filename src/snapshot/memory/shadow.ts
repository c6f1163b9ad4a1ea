import { createHash } from "node:crypto";
import type { Stats } from "node:fs";
import { lstat, mkdir, readdir, rename, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createId, groupBy, PRIVATE_FILE, PRIVATE_FOLDER, systemClock } from "../../core/internal.ts";
import { type BytePath, collectGit, createIndexWriter, joinBytePath } from "../../git/index.ts";
import { type FileNode, type FolderNode, gitMode, NO_STAT, type TreeNode } from "../capture/tree-node.ts";
import type { Repository } from "../store/repository.ts";

/** Undefined where it would be of no use, or could not be written. `token` ties it to what was written from the same tree. */
export async function writeShadow(
  repository: Repository,
  directory: string,
  request: { readonly root: FolderNode; readonly fewFiles: number; readonly token?: string },
): Promise<Shadow | undefined> {
  const { root, fewFiles, token = createId() } = request;
  // A few files are looked at sooner than git is started.
  if ([...root.modes.values()].reduce((sum, count) => sum + count, 0) < fewFiles) return undefined;
  const shadow = shadowFor(repository, directory, { root, token });
  const { content, files, trusted } = formatShadow(root, shadow.sentinel);
  // Young files have to be looked at anyhow.
  if (trusted * 2 < files) return undefined;
  const half = `${shadow.path}.half`;
  try {
    await mkdir(join(repository.home, "index"), PRIVATE_FOLDER);
    await writeFile(half, content, { mode: PRIVATE_FILE });
    await utimes(half, INDEX_SECONDS, INDEX_SECONDS);
    if (isSoLate(await lstat(half))) {
      await rename(half, shadow.path);
      return shadow;
    }
  } catch {
    // Half written it is of no use, as is one that the file system has dated otherwise.
  }
  await rm(half, { force: true }).catch(() => undefined);
  return undefined;
}

function isSoLate({ mtimeMs }: Stats): boolean {
  return Math.floor(mtimeMs / 1000) === INDEX_SECONDS;
}

/** Finds the index that was written with this token from this tree. */
export async function findShadow(
  repository: Repository,
  directory: string,
  written: { readonly root: FolderNode; readonly token: string },
): Promise<Shadow | undefined> {
  const shadow = shadowFor(repository, directory, written);
  const stats = await lstat(shadow.path).catch(() => undefined);
  return stats?.isFile() && isSoLate(stats) ? shadow : undefined;
}

export async function removeShadow({ path }: Pick<Shadow, "path">): Promise<void> {
  await rm(path, { force: true }).catch(() => undefined);
}

/** Removes a directory's other indexes but the youngest; whoever still goes by one looks at every file again. */
export async function sweepShadows(repository: Repository, directory: string, kept: Shadow | undefined): Promise<void> {
  const folder = join(repository.home, "index");
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    if (!name.startsWith(directoryKey(directory)) || path === kept?.path) continue;
    const stats = await lstat(path).catch(() => undefined);
    if (stats && stats.ctimeMs < systemClock.now() - 60_000) await removeShadow({ path });
  }
}

/** An index file of Skein's own, by which git can tell what changed since a tree was read. It is never changed. */
export type Shadow = Readonly<ReturnType<typeof shadowFor>>;

/** No directory has the sentinel's name. Git must find it missing: otherwise it did not read this file. */
function shadowFor(
  { home }: Repository,
  directory: string,
  { root, token }: { readonly root: FolderNode; readonly token: string },
) {
  return { path: join(home, "index", `${directoryKey(directory)}-${token}`), root, sentinel: `~skein-${token}` };
}

export function directoryKey(directory: string): string {
  return createHash("sha256").update(directory).digest("hex").slice(0, 32);
}

/** When every index says it was written: so late that git never takes a file to be younger and reads it. */
const INDEX_SECONDS = 0x7fff_ffff;

/** Writes a tree as a git index. Files that must be looked at in any case get times that no file has. */
function formatShadow(root: FolderNode, sentinel: BytePath) {
  const writer = createIndexWriter(2);
  let [files, trusted] = [0, 0];
  const visit = (folder: FolderNode, path: BytePath): void => {
    const nodes: Iterable<readonly [BytePath, TreeNode]> =
      path === "" ? [...folder.entries, [sentinel, NOWHERE] as const] : folder.entries;
    for (const [name, node] of inIndexOrder(nodes)) {
      const below = joinBytePath(path, name);
      if (node.kind === "folder") {
        visit(node, below);
        continue;
      }
      const look = isTrusted(node) ? lookOf(node) : [];
      writer.add({ path: below, oid: node.oid, mode: Number.parseInt(gitMode(node), 8), look });
      files += 1;
      if (look.length > 0) trusted += 1;
    }
  };
  visit(root, "");
  return { content: writer.end(), files, trusted };
}

/** Whether git, which compares whole seconds, can be believed when it says that this file is the same. */
function isTrusted({ racy, stat }: FileNode): boolean {
  return !racy && stat.mtimeMs >= 1000 && stat.ctimeMs >= 1000 && stat.mtimeMs < INDEX_SECONDS * 1000;
}

const NOWHERE: FileNode = { kind: "file", mode: 0o644, oid: "0".repeat(39) + "1", stat: NO_STAT, racy: true };

/** Paths are ordered as a whole, which is the order of names if a folder's name ends in its slash. */
function inIndexOrder(nodes: Iterable<readonly [BytePath, TreeNode]>) {
  const keyOf = ([name, node]: readonly [BytePath, TreeNode]): string => (node.kind === "folder" ? `${name}/` : name);
  return [...nodes].toSorted((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1));
}

/** Nanoseconds and the device are left at zero: git compares neither, unless it was built to. */
function lookOf({ stat: { ctimeMs, mtimeMs, ino, uid, gid, size } }: FileNode): readonly number[] {
  const seconds = (ms: number): number => Math.floor(ms / 1000);
  return [seconds(ctimeMs), 0, seconds(mtimeMs), 0, 0, ino, uid, gid, size].map((value) => value % 2 ** 32);
}

export interface StatPass {
  /** The tree that the files were compared with. */
  readonly compared: FolderNode;
  /** For each folder the names of files that are gone or look different. */
  readonly dirty: ReadonlyMap<BytePath, ReadonlySet<BytePath>>;
}

/** Has git compare, on all cores, what lstat gives with the index; undefined where its answer cannot be relied on. */
export async function runStatPass(
  { gitDirectory }: Repository,
  directory: string,
  { shadow, signal }: { readonly shadow: Shadow; readonly signal: AbortSignal | undefined },
): Promise<StatPass | undefined> {
  const { exitCode, stdout, stderr } = await collectGit({
    gitDirectory,
    workTree: directory,
    cwd: directory,
    settings: SETTINGS,
    env: { GIT_INDEX_FILE: shadow.path },
    args: ["diff-files", "--raw", "-z", "--no-renames", "--no-ext-diff", "--ignore-submodules=all"],
    signal,
  });
  // A file that cannot be looked at is told on stderr only, and then passed over.
  if (exitCode !== 0 || stderr !== "") return undefined;
  const dirty = parseDirty(stdout.toString("latin1"));
  // A missing index is an empty one to git, in which nothing has changed.
  return dirty.get("")?.has(shadow.sentinel) ? { compared: shadow.root, dirty } : undefined;
}

/** Every difference that lstat can show counts, and nothing else is asked. */
const SETTINGS = [
  "core.bare=false",
  "core.preloadIndex=true",
  "core.trustctime=true",
  "core.checkStat=default",
  "core.fileMode=true",
  "core.symlinks=true",
  "core.ignoreStat=false",
  "core.sparseCheckout=false",
  "core.splitIndex=false",
];

/** Each record is a head that begins with a colon, and a path. */
function parseDirty(output: string): StatPass["dirty"] {
  const paths = output.split("\0").filter((_, index) => index % 2 === 1);
  const byFolder = groupBy(paths, (path) => path.slice(0, Math.max(path.lastIndexOf("/"), 0)));
  const nameOf = (path: BytePath): BytePath => path.slice(path.lastIndexOf("/") + 1);
  return new Map(Array.from(byFolder, ([folder, below]) => [folder, new Set(below.map(nameOf))]));
}
