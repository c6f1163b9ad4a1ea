import {
  joinBytePath,
  toldPath,
  type BytePath,
  type TreeEntry,
  missingObject,
  parseTreeEntries,
  readTreeObject,
} from "../git/index.ts";
import type { FilesMeta } from "./files-meta.ts";
import { checkRoom, readFilesMeta, topEntries, type SnapshotReader } from "./list-snapshot.ts";
import { MOST_PATH_BYTES, plainFile } from "./read-plain-tree.ts";
import type { SnapshotFile } from "./snapshot-store.ts";

/** As many sizes are asked for together: each answer by itself is a way to git and back. */
const MOST_AT_ONCE = 256;

/** Lists the files of a snapshot in the order of their paths. Only the folders on the way to the present file are in memory. */
export async function* listFiles(reader: SnapshotReader, id: string): AsyncGenerator<SnapshotFile, void, void> {
  const top = await topEntries(reader, id);
  const meta = await readFilesMeta(reader, top.get("files.meta") ?? id);
  const tree = top.get("files");
  if (tree !== undefined) yield* listFolder({ reader, meta, seen: { paths: 0 } }, tree, "");
}

interface Reading {
  readonly reader: SnapshotReader;
  readonly meta: FilesMeta;
  /** How many files and folders were met so far: one tree may stand in others any number of times. */
  readonly seen: { paths: number };
}

async function* listFolder(reading: Reading, tree: string, path: BytePath): AsyncGenerator<SnapshotFile, void, void> {
  const { objects } = reading.reader;
  const lines = parseTreeEntries(await readTreeObject(objects, tree)).toSorted(byPath);
  checkRoom((reading.seen.paths += lines.length));
  if (path.length > MOST_PATH_BYTES) checkRoom(Number.POSITIVE_INFINITY);
  for (let at = 0; at < lines.length; at += MOST_AT_ONCE) {
    const some = lines.slice(at, at + MOST_AT_ONCE);
    const found = await Promise.all(
      some.map(async (line) => (isFolder(line) ? undefined : await objects.info(line.oid))),
    );
    for (const [index, line] of some.entries()) {
      const below = joinBytePath(path, line.name);
      if (isFolder(line)) {
        yield* listFolder(reading, line.oid, below);
        continue;
      }
      const info = found[index];
      if (!info) throw missingObject(line.oid);
      yield toFile(line, { path: below, meta: reading.meta, sizeBytes: info.sizeBytes });
    }
  }
}

function toFile(
  line: TreeEntry,
  { path, meta, sizeBytes }: { readonly path: BytePath; readonly meta: FilesMeta; readonly sizeBytes: number },
): SnapshotFile {
  const { kind, mode, oid: contentId } = plainFile(line, path, meta);
  return { ...toldPath(path), kind, mode, sizeBytes, contentId };
}

function isFolder({ mode }: TreeEntry): boolean {
  return mode === "40000";
}

/** Git's own order: a folder counts as its name with a slash, so that all paths are in order. A forged tree may have another. */
function byPath(left: TreeEntry, right: TreeEntry): number {
  const [a, b] = [left, right].map((entry) => (isFolder(entry) ? `${entry.name}/` : entry.name)) as [string, string];
  return a < b ? -1 : a > b ? 1 : 0;
}
