import { SkeinError } from "../core/internal.ts";
import {
  type BytePath,
  inTreeOrder,
  joinBytePath,
  missingObject,
  type ObjectReader,
  readTree,
  STATE_LIMITS,
  toBytePath,
  toldPath,
  toText,
  type TreeEntry,
} from "../git/index.ts";
import type { FileNode } from "./capture/tree-node.ts";
import { type FilesMeta, parseFilesMeta } from "./files-meta.ts";
import type { SnapshotFile } from "./snapshot-store.ts";
import type { Repository } from "./store/repository.ts";

export interface SnapshotReader {
  readonly repository: Repository;
  readonly objects: ObjectReader;
}

/** The entries of a snapshot's own tree, and what it says of its files beside their tree. */
export async function openSnapshot(reader: SnapshotReader, id: string) {
  const top = await topEntries(reader, id);
  const limit = { type: "blob", mostBytes: STATE_LIMITS.partBytes } as const;
  return { top, meta: parseFilesMeta(await reader.objects.content(top.get("files.meta") ?? id, limit)) };
}

/** Refuses more files than any workspace has, counted by folder: one tree may stand in others any number of times. */
export function createRoomCheck(): (folder: BytePath, entries: number) => void {
  let paths = 0;
  return (folder, entries) => {
    paths += entries;
    if (paths <= STATE_LIMITS.paths && folder.length <= MOST_PATH_BYTES) return;
    throw new SkeinError(`A snapshot has more than ${STATE_LIMITS.paths} files`, {
      kind: "policy",
      hint: "It was built to fill memory or disk; nothing was changed",
    });
  };
}

/** What Linux takes for a path; folders within folders end there. */
const MOST_PATH_BYTES = 4096;

export async function topEntries({ objects }: SnapshotReader, id: string): Promise<ReadonlyMap<BytePath, string>> {
  const info = /^[0-9a-f]{40}$/.test(id) ? await objects.info(id) : undefined;
  const lines = info?.type === "tree" ? await readTree(objects, id) : [];
  const entries = new Map(lines.map(({ name, oid }) => [name, oid]));
  if (entries.has("files.meta")) return entries;
  throw new SkeinError(`There is no snapshot ${id}`, {
    kind: "usage",
    target: id,
    hint: "Give the id that capture returned for this workspace",
  });
}

/** As many sizes are asked for together: each answer by itself is a way to git and back. */
const MOST_AT_ONCE = 256;

/** Lists the files of a snapshot in the order of their paths. Only the folders on the way to the present file are in memory. */
export async function* listFiles(reader: SnapshotReader, id: string): AsyncGenerator<SnapshotFile, void, void> {
  const { objects } = reader;
  const { top, meta } = await openSnapshot(reader, id);
  const check = createRoomCheck();
  const listFolder = async function* (oid: string, path: BytePath): AsyncGenerator<SnapshotFile, void, void> {
    // A forged tree may have another order.
    const lines = inTreeOrder(await readTree(objects, oid));
    check(path, lines.length);
    for (let at = 0; at < lines.length; at += MOST_AT_ONCE) {
      const some = lines.slice(at, at + MOST_AT_ONCE);
      const infos = await Promise.all(some.map((line) => objects.info(line.oid)));
      for (const [index, line] of some.entries()) {
        const below = joinBytePath(path, line.name);
        const info = infos[index];
        if (!info) throw missingObject(line.oid);
        if (line.mode === "40000") yield* listFolder(line.oid, below);
        else {
          const { kind, mode, oid: contentId } = plainFile(line, below, meta);
          yield { ...toldPath(below), kind, mode, sizeBytes: info.sizeBytes, contentId };
        }
      }
    }
  };
  const tree = top.get("files");
  if (tree !== undefined) yield* listFolder(tree, "");
}

/** Reads one file of a snapshot by going down its trees, so that a name may be made of any bytes. */
export async function readSnapshotFile(reader: SnapshotReader, id: string, path: string | Uint8Array): Promise<Buffer> {
  const { objects } = reader;
  const bytes = toBytePath(path);
  const files = (await topEntries(reader, id)).get("files");
  let found = files === undefined ? undefined : await objects.info(files);
  for (const name of bytes.split("/")) {
    const lines = found?.type === "tree" ? await readTree(objects, found.oid) : [];
    const line = lines.find((each) => each.name === name);
    found = line && (await objects.info(line.oid));
  }
  if (found?.type === "blob") return await objects.content(found.oid);
  throw new SkeinError(`The snapshot ${id} has no file ${toText(bytes)}`, {
    kind: "filesystem",
    target: toText(bytes),
    hint: "Give paths relative to the workspace's root, with slashes",
  });
}

/** A file or a link of a tree, wherever the tree comes from. */
export type PlainFile = Pick<FileNode, "kind" | "mode" | "oid">;

export function plainFile({ mode, oid }: TreeEntry, path: BytePath, { modes, usual }: FilesMeta): PlainFile {
  if (mode === "120000") return { kind: "symlink", mode: 0o777, oid };
  return { kind: "file", mode: modes.get(path) ?? (mode === "100755" ? usual.x : usual.f), oid };
}
