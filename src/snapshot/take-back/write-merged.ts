import type { CaptureContext, Memory } from "../scan/capture-context.ts";
import { formatFilesMeta } from "../files-meta.ts";
import { blobId, treeId, type TreeEntry } from "../../git/index.ts";
import { createSnapshotWriter } from "../snapshot-writer.ts";
import type { FolderNode } from "../scan/tree-node.ts";
import type { MergedGit } from "./merge-git.ts";

/** A tree that nobody captured. */
export interface MergedTree {
  readonly root: FolderNode;
  readonly git: MergedGit;
  /** Content that the store may not hold, by its ids. */
  readonly blobs: ReadonlyMap<string, Buffer>;
  /** The tree that it was made from, which is in the store. */
  readonly memory: Memory;
  readonly signal: AbortSignal | undefined;
}

/** Writes a merged tree as a snapshot like any other, and gives its id. */
export async function writeMerged(
  context: CaptureContext,
  { root, git, blobs, memory, signal }: MergedTree,
): Promise<string> {
  const sidecars = new Map([["files.meta", formatFilesMeta(root)], ...git.sidecars]);
  const beside = Array.from(sidecars, ([name, content]) => ({ mode: "100644", name, oid: blobId(content) }));
  const folder = (name: string, oid: string | undefined): TreeEntry[] =>
    oid === undefined ? [] : [{ mode: "40000", name, oid }];
  const entries = [...beside, ...folder("files", root.oid), ...folder("git-objects", git.objectsTree)];
  const id = treeId(entries);
  const ref = `refs/skein/snapshots/${id}`;
  if (await context.objects.info(ref)) return id;
  const writer = createSnapshotWriter(context, { memory, signal });
  try {
    for (const [oid, content] of blobs) await writer.keep(oid, content);
    await writer.commit({ ref, id, entries, root, sidecars });
  } finally {
    await writer.close();
  }
  return id;
}
