import { SkeinError } from "../core/index.ts";
import {
  type BytePath,
  checkStoredPath,
  type ObjectReader,
  MOST_LISTING_BYTES,
  runGit,
  STATE_LIMITS,
  parseTree,
  readTreeObject,
} from "../git/index.ts";
import { parseFilesMeta, type FilesMeta } from "./files-meta.ts";
import type { Listing } from "./listing.ts";
import type { FileState } from "./snapshot-store.ts";

/** A snapshot as flat maps. */
export interface SnapshotListing extends Listing {
  /** The tree's own entries: `files`, `files.meta`, `git.json` and the like. */
  readonly top: ReadonlyMap<BytePath, string>;
}

/** Where a snapshot is read. */
export interface SnapshotReader {
  readonly gitDirectory: string;
  readonly objects: ObjectReader;
}

/** Lists all of a snapshot. */
export async function listSnapshot(reader: SnapshotReader, id: string): Promise<SnapshotListing> {
  const top = await topEntries(reader, id);
  const meta = await readFilesMeta(reader, top.get("files.meta") ?? id);
  const tree = top.get("files");
  const files = new Map<BytePath, FileState>();
  if (tree !== undefined) {
    const output = await runGit({
      gitDirectory: reader.gitDirectory,
      args: ["ls-tree", "-r", "-z", "--full-tree", tree],
      mostOutputBytes: MOST_LISTING_BYTES,
    });
    for (const line of output.toString("latin1").split("\0")) {
      const tab = line.indexOf("\t");
      if (tab === -1) continue;
      const [mode = "", , contentId = ""] = line.slice(0, tab).split(" ");
      const path = line.slice(tab + 1);
      checkStoredPath(path);
      checkRoom(files.size);
      files.set(path, { ...fileState(mode, path, meta), contentId });
    }
  }
  return { files, folders: foldersOf(files, meta), emptyFolders: meta.emptyFolders, tree, top };
}

/** Reads a snapshot's `files.meta`. */
export async function readFilesMeta({ objects }: SnapshotReader, oid: string): Promise<FilesMeta> {
  return parseFilesMeta(await objects.content(oid, { type: "blob", mostBytes: STATE_LIMITS.partBytes }));
}

/** Refuses a snapshot with more files than any workspace has. */
export function checkRoom(files: number): void {
  if (files <= STATE_LIMITS.paths) return;
  throw new SkeinError(`A snapshot has more than ${STATE_LIMITS.paths} files`, {
    kind: "policy",
    hint: "It was built to fill memory or disk; nothing was changed",
  });
}

/** The entries of a snapshot's own tree, by name. */
export async function topEntries({ objects }: SnapshotReader, id: string): Promise<ReadonlyMap<BytePath, string>> {
  const info = /^[0-9a-f]{40}$/.test(id) ? await objects.info(id) : undefined;
  const entries = info?.type === "tree" ? parseTree(await readTreeObject(objects, id)) : new Map<BytePath, string>();
  if (entries.has("files.meta")) return entries;
  throw new SkeinError(`There is no snapshot ${id}`, {
    kind: "usage",
    target: id,
    hint: "Give the id that capture returned for this workspace",
  });
}

/** What git's mode and the sidecar say together. */
function fileState(gitMode: string, path: BytePath, meta: FilesMeta): Omit<FileState, "contentId"> {
  if (gitMode === "120000") return { kind: "symlink", mode: 0o777 };
  return { kind: "file", mode: meta.modes.get(path) ?? (gitMode === "100755" ? meta.usual.x : meta.usual.f) };
}

function foldersOf(files: ReadonlyMap<BytePath, unknown>, meta: FilesMeta): ReadonlyMap<BytePath, number> {
  const folders = new Map<BytePath, number>();
  const addAbove = (path: BytePath): void => {
    for (let end = path.lastIndexOf("/"); end !== -1; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end);
      if (folders.has(folder)) return;
      folders.set(folder, meta.modes.get(folder) ?? meta.usual.d);
    }
  };
  for (const path of files.keys()) addAbove(path);
  for (const path of meta.emptyFolders) addAbove(`${path}/`);
  return folders;
}
